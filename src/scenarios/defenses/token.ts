import { below, type Random } from '../../random.ts';

const LETTERS = 'bcdfghjkmnpqrstvwxz23456789';

/** Letters and digits that no text can foresee. */
export function token(random: Random, length: number): string {
  return Array.from({ length }, () => LETTERS[below(random, LETTERS.length)]).join('');
}

/** A rule after the operator's own. */
export function withRule(system: string, rule: string): string {
  return system === '' ? rule : `${system}\n\n${rule}`;
}
