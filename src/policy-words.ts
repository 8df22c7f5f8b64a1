import type { PolicySpec, Rule } from './types.ts';

/** A policy in words, a line a rule. Texts from outside are quoted as JSON, not yet escaped for a terminal. */
export function policyInWords({ tier, rules, limits }: PolicySpec): string[] {
  const lines = rules.map((rule) => `may ${ruleInWords(rule)}`);
  if (limits !== undefined) {
    lines.push(
      `after the first call that reads untrusted text: at most ${count(limits.egressAfterUntrusted, 'further egress action')}`,
    );
  }
  return [
    `policy at the tier ${tier}:`,
    ...(lines.length === 0 ? ['may do nothing'] : lines).map((line) => `  ${line}`),
  ];
}

function ruleInWords({ effect, type, targets, origins, maxCalls }: Rule): string {
  const tool = type === undefined ? `use any tool that does ${effect}` : `call ${type} (${effect})`;
  return `${tool}${targetsInWords(targets)}${originsInWords(origins)}${maxCalls === undefined ? '' : `, ${count(maxCalls, 'call')} in all`}`;
}

function targetsInWords(targets: readonly string[] | undefined): string {
  if (targets === undefined) return '';
  return targets.length === 0
    ? ' without a target'
    : ` on ${targets.map((target) => JSON.stringify(target)).join(', ')}`;
}

function originsInWords(origins: readonly string[] | undefined): string {
  return origins === undefined ? '' : ` on targets of the origin ${origins.join(' or ')}`;
}

function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`;
}
