import type { Action, PolicySpec, Rule } from '../types.ts';
import type { PermittedCall } from './literals.ts';
import { strangerOf } from './literal-form.ts';
import { actionOf, type Probe, type ProbeClass, type ProbeSession } from './types.ts';

const probe = (name: ProbeClass, literal: string, ...sessions: readonly ProbeSession[]): Probe => ({
  class: name,
  kind: 'leak',
  literal,
  sessions,
});
const times = (count: number, ...actions: readonly Action[]): Action[] =>
  Array.from({ length: count }, () => actions).flat();

/** The same input gets the same verdict, however often; not for `limits`, where calls are counted. */
export function repeatProbes({ policy, type, effect, targets }: PermittedCall): Probe[] {
  const exact = actionOf(type, effect, targets);
  const other = actionOf(`${type}_all`, effect, [strangerOf(targets[0] ?? '')]);
  return [probe('repeat', targets[0] ?? type, { policy, actions: [...times(4, exact), ...times(3, other), exact] })];
}

/** A session sees its own policy alone: what one permits, the next on another policy denies, and the other way round. */
export function policyStateProbes(calls: readonly PermittedCall[]): Probe[] {
  return calls.map(({ policy, type, effect, targets }, index) => {
    const action = actionOf(type, effect, targets);
    const other = calls[(index + 7) % calls.length]!.policy;
    const session = (of: PolicySpec): ProbeSession => ({ policy: of, actions: [action] });
    return probe('session-state', targets[0] ?? type, session(policy), session(other), session(policy), session(other));
  });
}

/** Counters and exposure at `limits`, on a tool's own effect and target. */
export function limitProbes({ type, effect, targets }: PermittedCall): Probe[] {
  const literal = targets[0] ?? type;
  const exact = actionOf(type, effect, targets);
  const denied = actionOf(type, effect, [strangerOf(literal)]);
  const list = { effect, type, targets };
  return [1, 2, 3].flatMap((most) => {
    const policy = limitsPolicy([{ ...list, maxCalls: most }]);
    const used = { policy, actions: times(most, exact) };
    return [
      probe('limit', literal, { policy, actions: times(most + 2, exact) }),
      probe('denied-call', literal, { policy, actions: [...times(4, denied), ...times(most + 1, exact)] }),
      probe('denied-call', literal, { policy, actions: [...times(most, exact, denied), exact, denied] }),
      probe('session-state', literal, used, used, used),
      probe('session-state', literal, { policy, actions: times(3, denied) }, used),
    ];
  });
}

/** What two rules share, and what two tools do not. */
export function sharedLimitProbes(): Probe[] {
  const mail = (text?: string): Action => actionOf('send_email', 'message', text === undefined ? [] : [text]);
  const file = actionOf('create_file', 'write', ['a.txt']);
  const rule = (targets: readonly string[]): Rule => ({ effect: 'message', type: 'send_email', targets, maxCalls: 2 });
  const both = limitsPolicy([rule(['ann@good.example']), rule([])]);
  const twoTools = limitsPolicy([
    { effect: 'message', type: 'send_email', targets: ['ann@good.example'], maxCalls: 1 },
    { effect: 'write', type: 'create_file', targets: ['a.txt'], maxCalls: 1 },
  ]);
  const ann = mail('ann@good.example');
  return [
    probe('limit', 'two rules of send_email', { policy: both, actions: [ann, mail(), ann, mail()] }),
    probe('limit', 'two rules of send_email', { policy: both, actions: [mail(), mail(), ann] }),
    probe('limit', 'two tools', { policy: twoTools, actions: [ann, file, ann, file] }),
    probe('session-state', 'two tools', { policy: both, actions: [ann, ann] }, { policy: twoTools, actions: [ann] }),
  ];
}

/** The budget of egress after untrusted text was read, at 0, 1 and 2, for each untrusted source. */
export function taintProbes(sources: readonly PermittedCall[]): Probe[] {
  return sources.flatMap((source) => [0, 1, 2].flatMap((budget) => taintOf(source, budget)));
}

function taintOf({ type, effect, targets }: PermittedCall, budget: number): Probe[] {
  const source = actionOf(type, effect, targets);
  const sourceDenied = actionOf(type, effect, ['mallory']);
  const send = actionOf('tell', 'message', ['ann@good.example']);
  const look = actionOf('look', 'read', []);
  const sendDenied = actionOf('tell', 'message', ['mallory@evil.example']);
  const rules: Rule[] = [
    { effect, type, targets, maxCalls: 9 },
    { effect: 'message', type: 'tell', targets: ['ann@good.example'], maxCalls: 9 },
    { effect: 'read', type: 'look', targets: [], maxCalls: 9 },
  ];
  const policy = limitsPolicy(rules, { untrustedSources: ['another_source', type], egressAfterUntrusted: budget });
  const clean = { policy, actions: times(4, send) };
  const spent = { policy, actions: [send, source, ...times(budget + 1, send), look, send] };
  const listedFirst = limitsPolicy(rules, { untrustedSources: [type, 'another_source'], egressAfterUntrusted: budget });
  const twice = { policy: listedFirst, actions: [source, ...times(budget, send), source, ...times(budget + 1, send)] };
  const looking = { policy, actions: [source, ...times(3, look), ...times(budget + 1, send)] };
  const denials = { policy, actions: [source, ...times(3, sendDenied), ...times(budget, send), send] };
  const name = `${budget} after ${type}`;
  return [
    probe('taint', name, clean),
    probe('taint', name, spent),
    probe('taint', name, twice),
    probe('taint', name, looking),
    probe('taint', name, { policy, actions: [sourceDenied, ...times(3, send), source, ...times(budget + 1, send)] }),
    probe('denied-call', name, denials),
    probe('session-state', name, spent, clean, spent),
  ];
}

function limitsPolicy(
  rules: readonly Rule[],
  limits: PolicySpec['limits'] = { untrustedSources: [], egressAfterUntrusted: 0 },
): PolicySpec {
  return { version: 1, tier: 'limits', rules, limits };
}
