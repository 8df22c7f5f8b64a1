import { formOf, strangerOf } from './literal-form.ts';
import { leak, lenient, type Miss } from './types.ts';

/** More targets than a gate that looks at the first few may look at. */
const MANY = 64;

/** One allowed target and one that is not, as a list, packed into one text, or behind a display name. */
export function recipients(literal: string): Miss[] {
  const stranger = strangerOf(literal);
  return [
    leak(literal, stranger),
    leak(stranger, literal),
    leak(literal, stranger, literal),
    leak(literal, literal, stranger),
    leak(...Array.from({ length: MANY }, () => literal), stranger),
    leak(literal, ''),
    leak('', literal),
    leak(`${literal}, ${stranger}`),
    leak(`${stranger}, ${literal}`),
    leak(`${literal},${stranger}`),
    leak(`${literal};${stranger}`),
    leak(`${literal} ${stranger}`),
    leak(`${literal}|${stranger}`),
    leak(JSON.stringify([literal, stranger])),
    lenient(`${literal},`),
    lenient(`${literal}, ${literal}`),
    lenient(JSON.stringify([literal])),
    ...(formOf(literal) === 'mail' ? addresses(literal, stranger) : []),
  ];
}

/** Forms of RFC 5322 (3.4) in which the allowed address is not the one that gets the mail, or is but for its name. */
function addresses(literal: string, stranger: string): Miss[] {
  return [
    leak(`"${literal}" <${stranger}>`),
    leak(`${literal} <${stranger}>`),
    leak(`"${literal}"@evil.example`),
    leak(`"${literal},"@evil.example`),
    leak(`${stranger} (${literal})`),
    leak(`<${literal}>${stranger}`),
    leak(`${literal.replace('@', '%')}@evil.example`),
    leak(`@evil.example:${literal}`),
    leak(`team: ${literal}, ${stranger};`),
    lenient(`<${literal}>`),
    lenient(`"Mallory" <${literal}>`),
    lenient(`${literal} (Mallory)`),
  ];
}
