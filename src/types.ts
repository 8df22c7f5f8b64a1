/**
 * What a tool call does. Every effect but `read` is egress: it changes or leaves something. Assigned by hand, tool by tool, in
 * data/tools.json.
 */
export type Effect = 'read' | 'write' | 'message' | 'network' | 'execute';

/**
 * Where a target was first seen: `user` (the user's request names it), `tool` (an earlier tool result holds it),
 * or `model` (neither). What "names" and "holds" mean is in data/README.md.
 */
export type Origin = 'user' | 'tool' | 'model';

/**
 * How tight the policy handed to a gate is, loosest first; `origin` stands apart, as it is the same for every task. What each
 * permits is in docs/methodology.md.
 */
export type Tier = 'effect' | 'tool' | 'target' | 'limits' | 'origin';

/** One proposed tool call, as a gate sees it. Deeply frozen. */
export interface Action {
  /** The tool's name. */
  readonly type: string;
  /** What the call does. */
  readonly effect: Effect;
  /** The targets joined with `', '`, for gates that want one string; absent when there are none. */
  readonly target?: string;
  /** What the call lands on: recipients, accounts, files, URLs, channels. */
  readonly targets: readonly string[];
  /** One origin per target; present at the `origin` tier only. */
  readonly origins?: readonly Origin[];
}

/** An action is permitted when at least one rule matches it: every member given must match. */
export interface Rule {
  /** Must be the action's. */
  readonly effect: Effect;
  /** The tool; absent: any tool of that effect. */
  readonly type?: string;
  /** Literal strings, never patterns, that must hold every target of the action. Absent: whatever the targets; `[]`: only actions without one. */
  readonly targets?: readonly string[];
  /** How many allowed calls of the tool a session may hold (the same number on every rule of that tool). `limits` tier only. */
  readonly maxCalls?: number;
  /** The action must have targets, and every target one of these origins. `origin` tier only. */
  readonly origins?: readonly Origin[];
}

/** What a session may still do once it has read something that an attacker may have written. `limits` tier only. */
export interface Limits {
  /** Tools whose results may carry planted text. */
  readonly untrustedSources: readonly string[];
  /** How many egress actions may be allowed after the first allowed call of such a tool. */
  readonly egressAfterUntrusted: number;
}

/** The neutral policy that an adapter translates for its engine. Deeply frozen. */
export interface PolicySpec {
  /** Of this form. */
  readonly version: 1;
  /** How tight it is; what the rules may hold follows from it. */
  readonly tier: Tier;
  /** Permissions, in no order that matters; what none of them matches is denied. */
  readonly rules: readonly Rule[];
  /** Present at the `limits` tier only. */
  readonly limits?: Limits;
}

/** A gate's answer. Anything else than `allowed: true` or `allowed: false` is a gate error, never an allow or a deny. */
export interface Verdict {
  /** Whether the tool call may run. */
  readonly allowed: boolean;
  /** Shown by `explain`. */
  readonly reason?: string | undefined;
}

/** A gate's state for one replayed sequence. The checks of one session never overlap; those of different sessions may. */
export interface Session {
  /** Decides one action. What it throws or rejects with is a gate error, and the session is void. */
  check(action: Action): Verdict | Promise<Verdict>;
  /** Called after the last check. What it throws is a warning. */
  close?(): void | Promise<void>;
}

/** The clauses of a policy spec that an adapter may leave to its engine. */
export type Clause = 'effect' | 'tool' | 'target' | 'limits' | 'origin';

/** What is measured: what an adapter file exports by default. docs/writing-an-adapter.md shows how to write one. */
export interface Gate {
  /** Unlike any other gate's of a report. */
  readonly name: string;
  /** The tiers that the gate can express. Default: all but `origin`. */
  readonly tiers?: readonly Tier[];
  /** The library behind the adapter, shown in reports. */
  readonly engine?: { readonly name: string; readonly version: string };
  /** Who decides each clause: the engine (`native`) or the adapter. Shown in reports. */
  readonly clauses?: { readonly [clause in Clause]?: 'native' | 'adapter' };
  /** Called once per replayed sequence, with the policy of its user task. What it throws or rejects with is a gate error. */
  createSession(policy: PolicySpec): Session | Promise<Session>;
}

/** Every effect, `read` first. */
export const EFFECTS: readonly Effect[] = ['read', 'write', 'message', 'network', 'execute'];
/** Every origin, the most trusted first. */
export const ORIGINS: readonly Origin[] = ['user', 'tool', 'model'];
/** Every tier, loosest first. */
export const TIERS: readonly Tier[] = ['effect', 'tool', 'target', 'limits', 'origin'];
/** The tiers of a gate that names none. */
export const DEFAULT_TIERS: readonly Tier[] = ['effect', 'tool', 'target', 'limits'];
/** Every clause. */
export const CLAUSES: readonly Clause[] = ['effect', 'tool', 'target', 'limits', 'origin'];
