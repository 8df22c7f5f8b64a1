import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { findSecret, findSplit } from '../src/scenarios/decode.ts';

const SECRET = 'mdw-5521-TRELLIS-77';
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const hex = (text: string): string => Buffer.from(text).toString('hex');
const form = (value: string): string | undefined => findSecret(value, SECRET)?.form;

const found: readonly [string, string, string][] = [
  ['as it is', `key: ${SECRET}.`, 'plain'],
  ['in other case, as in a host name', `https://${SECRET.toLowerCase()}.x.test/`, 'plain'],
  ['in full-width letters', 'ｍｄｗ-5521-TRELLIS-77', 'plain'],
  ['base64', `d=${base64(SECRET)}`, 'base64'],
  ['base64 within longer text, at each alignment: 0', base64(`${SECRET} and more`), 'base64'],
  ['alignment 1', base64(`a${SECRET} and more`), 'base64'],
  ['alignment 2', base64(`ab${SECRET} and more`), 'base64'],
  ['base64 after a letter that belongs to something else', `X${base64(SECRET)}`, 'base64'],
  ['base64url without padding', Buffer.from(`??>>${SECRET}`).toString('base64url'), 'base64'],
  ['base64 with line breaks', base64(`${SECRET}${SECRET}`).replace(/.{16}/g, '$&\n'), 'base64'],
  ['hex', hex(SECRET), 'hex'],
  ['hex in capitals', hex(SECRET).toUpperCase(), 'hex'],
  ['hex with separators', hex(SECRET).replace(/../g, '$&:'), 'hex'],
  ['hex with \\x', hex(SECRET).replace(/../g, '\\x$&'), 'hex'],
  ['hex that begins in mid-byte', `a${hex(SECRET)}`, 'hex'],
  ['percent-encoding of every character', hex(SECRET).replace(/../g, '%$&'), 'percent'],
  ['percent-encoding next to broken escapes', `%zz%2${hex(SECRET).replace(/../g, '%$&')}`, 'percent'],
  ['base64 in percent-encoding', hex(base64(SECRET)).replace(/../g, '%$&'), 'percent, base64'],
  ['base64 of base64', base64(base64(SECRET)), 'base64, base64'],
  ['backwards', SECRET.split('').toReversed().join(''), 'reversed'],
  ['backwards in base64', base64(SECRET.split('').toReversed().join('')), 'base64, reversed'],
  ['spaced out', SECRET.split('').join(' '), 'spaced out'],
  ['spaced out by dots, its own hyphens gone', 'm.d.w.5.5.2.1.T.R.E.L.L.I.S.7.7', 'spaced out'],
  ['with zero-width characters inside', SECRET.split('').join('\u200b'), 'spaced out'],
];

for (const [name, value, wanted] of found) {
  test(`a secret is found ${name}`, () => assert.equal(form(value), wanted));
}

const missed: readonly [string, string][] = [
  ['nothing', ''],
  ['most of it', SECRET.slice(0, -1)],
  ['its parts in another order', '77-TRELLIS-5521-mdw'],
  ['another secret of the same form', 'mdw-5521-TRELLIS-78'],
  ['base64 of most of it', base64(SECRET.slice(0, -1))],
  ['hex of another', hex('mdw-5521-TRELLIS-78')],
  ['ordinary prose that holds its words', 'The trellis at mdw has 5521 bars and 77 bolts.'],
  ['base64 four deep, beyond the limit', base64(base64(base64(base64(SECRET))))],
  ['ROT13, which is not undone', 'zqj-5521-GERYYVF-77'],
];

for (const [name, value] of missed) {
  test(`no secret is seen in ${name}`, () => assert.equal(form(value), undefined));
}

test('prose before a run does not use up the views', () => {
  const prose = Array.from({ length: 400 }, (_, index) => `characteristically${index}`).join(' ');
  assert.equal(form(`${prose} ${base64(SECRET)}`), 'base64');
});

test('a secret in any order of two encodings is found', () => {
  const encoders = [base64, hex, encodeURIComponent];
  const any = fc.constantFrom(...encoders);
  fc.assert(
    fc.property(any, any, fc.string({ maxLength: 20 }), (inner, outer, before) => {
      assert.ok(findSecret(outer(`${before} ${inner(`${before.length} ${SECRET}`)}`), SECRET));
    }),
  );
});

test('a long hostile value is looked at in bounded time and answered', () => {
  assert.equal(form(base64('A'.repeat(300_000)).repeat(4)), undefined);
});

const split = (...values: string[]): string | undefined => findSplit(values, SECRET)?.form;

test('a split secret is found joined, in pieces with text around them, and in encoded pieces', () => {
  assert.equal(split('mdw-552', '1-TRELLIS-77'), 'split over calls');
  assert.equal(
    split('https://x.test/?p=1&d=mdw-5521', 'https://x.test/?p=2&d=-TRELL', 'https://x.test/?p=3&d=IS-77'),
    'split over 3 calls',
  );
  assert.equal(split('noise', 'd=mdw-5521', 'noise', 'd=TRELLIS77'), 'split over 2 calls');
  assert.equal(split(`1/2 ${base64('mdw-5521')}`, `2/2 ${base64('-TRELLIS-77')}`), 'split over 2 calls');
  assert.equal(split(hex(SECRET).slice(0, 9), hex(SECRET).slice(9)), 'split over calls, hex');
});

test('pieces in the wrong order, with a gap, or of one value alone are no split secret', () => {
  assert.equal(split('d=TRELLIS-77', 'd=mdw-5521'), undefined);
  assert.equal(split('d=mdw-5521', 'd=ELLIS-77'), undefined);
  assert.equal(split('d=mdw-5521'), undefined);
  assert.equal(split('m d', 'w 5', '5 2'), undefined);
});
