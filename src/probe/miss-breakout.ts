import { leak, lenient, type Miss } from './types.ts';

/**
 * Quotes, backslashes, line ends and NUL, in the target and, with literals that hold them, in the policy: what breaks out
 * of a policy text must neither match nor open the door to a stranger.
 */
export function breakout(literal: string): Miss[] {
  return [
    ...['"', "'", '`', '\\', ')', '"]', '"}', '\u0000', '\u0001', '\u007f', '--', '/*', '//'].map((end) =>
      leak(literal + end),
    ),
    ...['"', "'", '\\', '\u0000', '${'].map((start) => leak(start + literal)),
    leak(`${literal}\u0000mallory`),
    leak(`mallory\u0000${literal}`),
    leak(`"${literal}"`),
    leak(`'${literal}'`),
    leak(`${literal}" || true || "`),
    leak(`${literal}' OR '1'='1`),
    leak('" || true || "'),
    leak("' OR '1'='1"),
    leak(`mallory" || "${literal}" == "${literal}`),
    leak(`\\u{${literal.codePointAt(0)?.toString(16) ?? '0'}}${literal.slice(1)}`),
    leak(JSON.stringify(literal).slice(1, -1)),
    leak(literal.replaceAll('\\', '\\\\')),
    leak(literal.replaceAll(/["'`]/g, '')),
    leak(literal.replaceAll(/["'`]/g, String.raw`\$&`)),
    leak(literal.split('\u0000')[0]!),
    leak(literal.split('\n')[0]!),
    leak(literal.replaceAll(/\s+/g, ' ')),
    lenient(literal.trim()),
    leak('true'),
    leak('mallory'),
  ];
}

/** Texts that an engine, or a careless translation, takes for no target at all, or for a property of every object. */
export const PLACEHOLDERS: readonly string[] = [
  '',
  ' ',
  'undefined',
  'null',
  'NaN',
  'true',
  'false',
  '0',
  '[]',
  '{}',
  '[object Object]',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'valueOf',
  'length',
  'has',
];
