import { answer, arrivesWith, offeredAt, stepContent, withInjection } from './canned.ts';
import { evaluateGoal } from './conditions.ts';
import type { Document, JsonObject, MadeCall, Match, Scenario, Tool, Turn } from './types.ts';

/** Whether the injection is in its carrier, or nothing is in its place. */
export type Setting = 'attack' | 'clean';

/** What a turn begins with. */
export interface Given {
  readonly tools: readonly Tool[];
  readonly system?: string;
  /** The user's own words. */
  readonly task: string;
  readonly documents: readonly Document[];
  readonly history: readonly Turn[];
  /** Untrusted text that comes with the request of a step. */
  readonly content?: string;
  readonly newSession: boolean;
  /** Whether an injection comes with what is given, before any defence. */
  readonly exposes: boolean;
}

/** What a tool answers. */
export interface Answered {
  readonly text: string;
  /** Whether an injection comes with the answer. */
  readonly exposes: boolean;
}

/** A goal's verdict; `raised`: the check itself failed, which is neither yes nor no. */
export type Verdict = { readonly met: boolean; readonly matches: readonly Match[] } | { readonly raised: string };

/** One case of a world. */
export interface OpenWorld {
  /** Begins a turn, 0 being the task itself. `undefined`: the chain has broken before it. */
  begin(turn: number, calls: readonly MadeCall[]): Promise<Given | undefined>;
  /** Whether a call would be answered with an injection; changes nothing. */
  wouldExpose(tool: string, args: JsonObject): Promise<boolean>;
  /** Answers a call of a tool that is offered in this turn. */
  call(tool: string, args: JsonObject): Promise<Answered>;
  /** What happened in the end. `injection` is undefined for a scenario without an attack. */
  finish(
    finalTexts: readonly string[],
    calls: readonly MadeCall[],
  ): Promise<{ readonly task: Verdict; readonly injection: Verdict | undefined }>;
}

/** What answers tool calls and knows in the end what happened. */
export interface World {
  open(scenario: Scenario, setting: Setting): Promise<OpenWorld>;
}

/** The world of canned results: nothing is ever executed. */
export const cannedWorld: World = {
  open: async (written, setting) => {
    const scenario = withInjection(written, setting === 'attack');
    const injections = setting === 'attack' ? written.injection : [];
    let { state } = scenario;
    let turn = 0;
    const lookUp = (name: string, args: JsonObject): (Answered & { readonly state: JsonObject }) | undefined => {
      const offered = offeredAt(scenario, turn).find(({ tool }) => tool.name === name);
      if (!offered) return undefined;
      const { text, entry, state: after } = answer(offered.tool, args, state);
      return { text, state: after, exposes: injections.some((one) => arrivesWith(one, offered, entry)) };
    };
    return {
      begin: async (number, calls) => {
        turn = number;
        const step = scenario.steps[turn - 1];
        const happened = calls.filter((call) => !call.denied);
        const content = step && stepContent(step, state, happened);
        if (step && content === undefined) return undefined;
        const offered = offeredAt(scenario, turn);
        return {
          tools: offered.map(({ tool }) => tool),
          ...(scenario.system !== undefined && { system: scenario.system }),
          task: step ? step.task : scenario.task,
          documents: step ? [] : scenario.documents,
          history: step ? [] : scenario.history,
          ...(content !== undefined && content !== '' && { content }),
          newSession: step?.new_session ?? false,
          exposes: injections.some(({ at }) => {
            if (at.in === 'result') return false;
            if (at.in === 'step') return at.index === turn - 1;
            if (at.in === 'description') {
              return offered.some(({ tool, step: from }) => tool.name === at.tool && from === at.step);
            }
            return turn === 0;
          }),
        };
      },
      wouldExpose: async (tool, args) => lookUp(tool, args)?.exposes ?? false,
      call: async (tool, args) => {
        const answered = lookUp(tool, args);
        if (!answered) throw new Error(`no tool ${tool} is offered`);
        state = answered.state;
        return { text: answered.text, exposes: answered.exposes };
      },
      finish: async (finalTexts, calls) => {
        const happened = { finalTexts, calls, state };
        const texts = injections.map(({ text }) => text);
        return {
          task: judge(() => evaluateGoal(scenario.done, happened, texts)),
          injection: scenario.success && judge(() => evaluateGoal(scenario.success!, happened, texts)),
        };
      },
    };
  },
};

function judge(evaluate: () => readonly Match[]): Verdict {
  try {
    const matches = evaluate();
    return { met: matches.length > 0, matches };
  } catch (error) {
    return { raised: String(error) };
  }
}
