import type { GateInfo } from '../thread/messages.ts';
import { CLAUSES, type Clause, DEFAULT_TIERS, type Tier, TIERS } from '../types.ts';
import { type ExecReply, PROTOCOL } from './protocol.ts';

/** What a command says of itself, or what is wrong with it. docs/protocol.md has the members. */
export function parseHello({
  name,
  tiers = DEFAULT_TIERS,
  protocol = PROTOCOL,
  ...rest
}: ExecReply): GateInfo | string {
  if (protocol !== PROTOCOL) return `speaks protocol ${JSON.stringify(protocol)}, the bench speaks ${PROTOCOL}`;
  if (typeof name !== 'string' || name.trim() === '') return 'said hello without a name';
  if (!areTiers(tiers)) return `said hello with tiers ${JSON.stringify(tiers)}; they are among ${TIERS.join(', ')}`;
  const { engine, clauses } = rest;
  if (engine !== undefined && !isEngine(engine)) {
    return `said hello with an engine that has no name and version, both texts: ${JSON.stringify(engine)}`;
  }
  if (clauses !== undefined && !areClauses(clauses)) {
    return `said hello with clauses ${JSON.stringify(clauses)}; they say "native" or "adapter" of ${CLAUSES.join(', ')}`;
  }
  return {
    name,
    tiers: TIERS.filter((tier) => tiers.includes(tier)),
    ...(engine !== undefined && { engine: { name: engine.name, version: engine.version } }),
    ...(clauses !== undefined && { clauses }),
  };
}

function areTiers(value: unknown): value is readonly Tier[] {
  return Array.isArray(value) && value.length > 0 && value.every((tier) => TIERS.includes(tier as Tier));
}

function isEngine(value: unknown): value is NonNullable<GateInfo['engine']> {
  if (typeof value !== 'object' || value === null) return false;
  const { name, version } = value as { name?: unknown; version?: unknown };
  return typeof name === 'string' && typeof version === 'string';
}

function areClauses(value: unknown): value is NonNullable<GateInfo['clauses']> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.entries(value).every(
    ([clause, who]) => CLAUSES.includes(clause as Clause) && (who === 'native' || who === 'adapter'),
  );
}
