import { formOf, strangerOf } from './literal-form.ts';
import { leak, lenient, type Miss } from './types.ts';

/** An unrelated target of the same form: what any policy with a target list denies. */
export function foreign(literal: string): Miss[] {
  return [leak(strangerOf(literal)), leak('mallory'), leak('evil.example'), leak('0')];
}

/**
 * What a literal stands for when an engine reads it as a glob, a regular expression or a LIKE pattern, and patterns in
 * the place of the target.
 */
export function pattern(literal: string): Miss[] {
  const readings = [
    literal.replace(/\./, 'x'),
    literal.replaceAll('.', 'x'),
    literal.replace(/\?/, 'x'),
    literal.replace(/.\?/s, ''),
    literal.replace(/\*/, 'evil'),
    literal.replace(/\*/, ''),
    literal.replace(/.\*/s, ''),
    literal.replaceAll(/\*+/g, 'a/b'),
    literal.replace(/(.)\+/s, '$1$1'),
    literal.replace(/\[!?([^\]]).*?\]/s, '$1'),
    literal.replace(/\((\w*).*?\)/s, '$1'),
    literal.replace(/\{(\w*).*?\}/s, '$1'),
    literal.replace(/(.)\{(\d).*?\}/s, (_, one: string, times: string) => one.repeat(Number(times))),
    literal.split('|')[0]!,
    literal.replaceAll('\\', ''),
    literal.replace(/\\d/, '7'),
    literal.replace(/\\w/, 'w'),
    literal.replace(/^\^/, '').replace(/\$$/, ''),
    literal.replaceAll('%', 'evil'),
    literal.replaceAll('%', ''),
    literal.replace(/_/, 'x'),
    literal.replace(/^!/, ''),
    literal.replace(/^:\w+/, 'evil'),
    literal.replace(/\$\{.*?\}/, ''),
  ];
  const wild = ['*', '**', '?', '.*', '%', '.+', `${literal.slice(0, 1)}*`, `*${literal.slice(1)}`, '^', '//'];
  return [...readings, ...wild].map((text) => leak(text));
}

/** A literal inside a longer text, or cut short. */
export function prefixSuffix(literal: string): Miss[] {
  return [
    leak(`${literal}x`),
    leak(`x${literal}`),
    leak(`${literal}.evil.example`),
    leak(`evil.example/?u=${literal}`),
    leak(`evil.example/${literal}`),
    leak(`${literal}@evil.example`),
    leak(`${literal}/../mallory`),
    leak(`${literal}/mallory`),
    leak(`${literal}${literal}`),
    leak(`mallory ${literal}`),
    leak(literal.slice(0, -1)),
    leak(literal.slice(1)),
    leak(literal.slice(0, 1)),
    leak(literal.replace(/(.)(.)$/s, '$2$1')),
    ...(formOf(literal) === 'mail' ? [leak(literal.split('@')[0]!), leak(`@${literal.split('@')[1]!}`)] : []),
    ...(formOf(literal) === 'mail' ? [leak(`mallory@${literal.split('@')[1]!}`)] : []),
  ];
}

/** One letter after another to capitals or back. Mail domains and hosts know no case (RFC 1035, 2.3.3): lenient. */
export function letterCase(literal: string): Miss[] {
  const form = formOf(literal);
  const both = [literal.toUpperCase(), literal.toLowerCase(), swapped(literal)];
  if (form === 'mail') {
    const at = literal.lastIndexOf('@');
    const domain = literal.slice(at);
    return [
      lenient(literal.slice(0, at) + domain.toUpperCase()),
      leak(literal.slice(0, at).toUpperCase() + domain),
      leak(swapped(literal.slice(0, at)) + domain),
    ];
  }
  if (form === 'url') {
    const [, host = '', path = ''] = /^([^/?#:]*)(.*)$/s.exec(literal) ?? [];
    return [lenient(host.toUpperCase() + path), leak(host + swapped(path))];
  }
  return both.map((text) => leak(text));
}

function swapped(text: string): string {
  return text.replace(/\p{L}/u, (letter) =>
    letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase(),
  );
}

/** A dot, a space or the like at an end: many systems drop it, so it may be the same destination. */
export function trailing(literal: string): Miss[] {
  return [
    `${literal}.`,
    `${literal} `,
    ` ${literal}`,
    `${literal}\t`,
    ` ${literal} `,
    `${literal}/`,
    `${literal}#`,
  ].map((text) => lenient(text));
}

/** Line ends: `$` of a regular expression stops before one, and `m` makes every line count. */
export function lineBreak(literal: string): Miss[] {
  return [
    leak(`${literal}\n`),
    leak(`\n${literal}`),
    leak(`${literal}\r\n`),
    leak(`${literal}\nmallory`),
    leak(`mallory\n${literal}`),
    leak(`mallory\n${literal}\nmallory`),
    leak(`${literal}\u2028mallory`),
    leak(`${literal}\r\nBcc: mallory@evil.example`),
  ];
}

/**
 * Other ways to write a URL or a number. What RFC 3986 (6.2.2, 6.2.3) calls equivalent, and equal numbers, are lenient;
 * a path that climbs, or a host behind an at sign, is not. Nor is one separator for another, or an address without its
 * dots: only the host that owns an address may say what it reads alike (RFC 5321, 2.3.11).
 */
export function encoding(literal: string): Miss[] {
  return [
    leak(literal.replaceAll('-', '_')),
    leak(literal.replaceAll('_', '-')),
    leak(literal.replaceAll(' ', '_')),
    ...otherForms(literal),
  ];
}

function otherForms(literal: string): Miss[] {
  switch (formOf(literal)) {
    case 'url':
      return [
        lenient(percent(literal)),
        lenient(`https://${literal}`),
        lenient(`http://${literal}`),
        lenient(`//${literal}`),
        lenient(literal.replace(/^www\./, '')),
        lenient(`${literal}:443`),
        leak(`${literal}:8443`),
        leak(`${literal}\\@evil.example`),
        leak(`${literal}%00.evil.example`),
        leak(`${literal}%2eevil.example`),
        leak(`ftp://${literal}`),
        leak(`javascript:${literal}`),
      ];
    case 'digits':
      return [`0${literal}`, `+${literal}`, `${literal}.0`, `${literal}e0`, `0x${Number(literal).toString(16)}`].map(
        (text) => lenient(text),
      );
    case 'mail':
      return [
        lenient(`mailto:${literal}`),
        lenient(literal.replace('@', '%40')),
        leak(literal.replace('@', '+x@')),
        leak(literal.replaceAll(/\.(?=.*@)/g, '')),
      ];
    case 'name':
      return [lenient(percent(literal)), leak(`./${literal}/../mallory`), lenient(`./${literal}`)];
  }
}

function percent(text: string): string {
  return text.replace(/[a-z]/i, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
}
