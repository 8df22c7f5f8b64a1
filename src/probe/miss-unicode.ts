import { leak, lenient, type Miss } from './types.ts';

/** Cyrillic letters that look like Latin ones (Unicode Technical Standard 39, confusables). */
const CYRILLIC: { readonly [latin: string]: string } = {
  a: '\u0430',
  c: '\u0441',
  e: '\u0435',
  i: '\u0456',
  o: '\u043e',
  p: '\u0440',
  s: '\u0455',
  x: '\u0445',
  y: '\u0443',
  A: '\u0410',
  B: '\u0412',
  C: '\u0421',
  E: '\u0415',
  K: '\u041a',
};

/** Marks that show nothing: zero width, joiners, direction, soft hyphen, byte order mark. */
const INVISIBLE = ['\u200b', '\u200d', '\u200f', '\u202e', '\u2066', '\u00ad', '\ufeff', '\u2060', '\u0301'];

/** Look-alikes, compatibility forms, invisible marks; composed and decomposed forms of the same letters are lenient. */
export function unicode(literal: string): Miss[] {
  return [
    leak(literal.replace(/[!-~]/, fullWidth)),
    leak(literal.replaceAll(/[!-~]/g, fullWidth)),
    leak(literal.replace(/[aceiopsxyABCEK]/, (letter) => CYRILLIC[letter]!)),
    leak(literal.replace(/\d/, (digit) => String.fromCodePoint(0x660 + Number(digit)))),
    leak(literal.replace('k', '\u212a')),
    leak(literal.replace('s', '\u017f')),
    leak(literal.replace('fi', '\ufb01')),
    leak(literal.replace('i', '\u0131')),
    leak(literal.replace('ss', '\u00df')),
    leak(literal.replace('\u00df', 'ss')),
    leak(literal.replace('-', '\u2010')),
    leak(literal.replace(' ', '\u00a0')),
    leak(literal.replace('@', '\uff20')),
    leak(literal.replace('.', '\u3002')),
    leak(literal.normalize('NFD').replaceAll(/\p{M}/gu, '')),
    ...INVISIBLE.flatMap((mark) => [leak(literal + mark), leak(literal.slice(0, 1) + mark + literal.slice(1))]),
    leak(`\u202e${Array.from(literal).toReversed().join('')}`),
    leak(`${literal}\ud800`),
    leak(literal.replaceAll('\ufffd', '\ud800')),
    lenient(literal.normalize('NFC')),
    lenient(literal.normalize('NFD')),
  ];
}

function fullWidth(character: string): string {
  return String.fromCodePoint(character.codePointAt(0)! + 0xfee0);
}
