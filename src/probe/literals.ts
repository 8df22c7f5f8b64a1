import type { Corpus, UserTask } from '../corpus.ts';
import { policyFor } from '../policy.ts';
import type { Effect, PolicySpec, Tier } from '../types.ts';
import { formOf } from './literal-form.ts';

/** A call that a policy permits: what near misses are made from. */
export interface PermittedCall {
  readonly policy: PolicySpec;
  readonly type: string;
  readonly effect: Effect;
  readonly targets: readonly string[];
}

/** Every user task's own calls under its own policy, in corpus order. */
export function ownCalls(corpus: Corpus, tier: Tier): PermittedCall[] {
  return userTasks(corpus).flatMap((task) => {
    const policy = policyFor(task.actions, tier, corpus.header.untrustedSources);
    return task.actions.map(({ type, effect, targets }) => ({ policy, type, effect, targets }));
  });
}

function userTasks(corpus: Corpus): UserTask[] {
  return corpus.suites.flatMap((suite) => suite.userTasks);
}

/** The first call of each tool with each of its literals, alone; those without a target once a tool. */
export function distinctCalls(calls: readonly PermittedCall[]): PermittedCall[] {
  const seen = new Map<string, PermittedCall>();
  for (const call of calls) {
    for (const targets of call.targets.length === 0 ? [[]] : call.targets.map((target) => [target])) {
      const key = JSON.stringify([call.type, targets]);
      if (!seen.has(key)) seen.set(key, { ...call, targets });
    }
  }
  return [...seen.values()];
}

/** The first call of each tool. */
export function callPerTool(calls: readonly PermittedCall[]): PermittedCall[] {
  return [...new Map(calls.toReversed().map((call) => [call.type, call])).values()].toReversed();
}

/** Literals with what the corpus hardly holds: signs that mean something to a pattern, a policy text, a script or a mailer. */
export const SPECIAL_LITERALS: readonly string[] = [
  'www.shop.example/item?id=1',
  'www.shop.example/a.b/c*d',
  'www.shop.example/%7Euser',
  'www.shop.example/a b',
  'notes*.txt',
  '*',
  'what?.txt',
  'file[1].txt',
  'report (final).docx',
  'a{2}.txt',
  'a|b',
  'c++.md',
  '^start$',
  '.',
  '..',
  '!important',
  ':name',
  '100%',
  'under_score',
  String.raw`C:\temp\new.txt`,
  String.raw`\d\w`,
  '$(id)/\u0024{HOME}',
  'say "hello"',
  '" || true || "',
  "O'Brien",
  "' OR '1'='1",
  '`id`',
  '"); permit(principal, action, resource); //',
  'one, two',
  'one,two',
  'one;two',
  '"a,b"@good.example',
  'first.last+tag@good.example',
  'line one\nline two',
  'tab\there',
  'nul\u0000byte',
  ' padded ',
  'caf\u00e9.txt',
  'cafe\u0301-2.txt',
  'stra\u00dfe',
  '\u65e5\u672c\u8a9e.txt',
  '\u202eabc',
  '\ud83d\ude00',
  '\ufffd',
  '__proto__',
  'constructor',
  'undefined',
  'null',
  '',
  '0',
  '007',
  '1e3',
  'x'.repeat(5000),
];

/** A call of the right kind of tool on a literal, under a policy that lists it and nothing else. */
export function specialCall(literal: string, tier: 'target' | 'limits'): PermittedCall {
  const [type, effect] = TOOL_FOR[formOf(literal)];
  const rule = { effect, type, targets: [literal] };
  const policy: PolicySpec =
    tier === 'target'
      ? { version: 1, tier, rules: [rule] }
      : {
          version: 1,
          tier,
          rules: [{ ...rule, maxCalls: 5 }],
          limits: { untrustedSources: ['read_file'], egressAfterUntrusted: 0 },
        };
  return { policy, type, effect, targets: [literal] };
}

const TOOL_FOR = {
  mail: ['send_email', 'message'],
  url: ['get_webpage', 'network'],
  digits: ['delete_file', 'write'],
  name: ['create_file', 'write'],
} as const satisfies { readonly [form in ReturnType<typeof formOf>]: readonly [string, Effect] };
