/*
 * When a text names or holds a target: the rules of rules.py, to the letter, so that a recorded run's origins mean the
 * same as the ground truth's. test/runs-text-rules.test.ts compares the two.
 */
import { createHash } from 'node:crypto';
import type { Origin } from '../src/types.ts';

const ALPHANUMERIC = /[\p{L}\p{N}]/u;
const ASCII_DIGITS = /^[0-9]+$/;

/** The character that ends right before `index`, or starts right at it, whole where it is a surrogate pair. */
function characterBefore(text: string, index: number): string {
  const unit = text.charCodeAt(index - 1);
  return unit >= 0xdc00 && unit <= 0xdfff && index > 1 ? text.slice(index - 2, index) : text.slice(index - 1, index);
}

function isBounded(text: string, start: number, end: number): boolean {
  if (start > 0 && ALPHANUMERIC.test(characterBefore(text, start))) return false;
  const next = text.codePointAt(end);
  return next === undefined || !ALPHANUMERIC.test(String.fromCodePoint(next));
}

/**
 * Whether a text holds a target: bounded by non-alphanumeric characters or the text's ends. Both are in lower case
 * already. An empty target is held by nothing.
 */
export function holds(lowerText: string, lowerTarget: string): boolean {
  if (lowerTarget === '') return false;
  let at = lowerText.indexOf(lowerTarget);
  while (at !== -1) {
    if (isBounded(lowerText, at, at + lowerTarget.length)) return true;
    at = lowerText.indexOf(lowerTarget, at + 1);
  }
  return false;
}

/**
 * Whether a request (in lower case) names a target (in lower case): it holds it and, for a target of digits only,
 * right after a word that says what the digits count.
 */
export function names(lowerRequest: string, lowerTarget: string): boolean {
  if (!ASCII_DIGITS.test(lowerTarget)) return holds(lowerRequest, lowerTarget);
  if (!lowerRequest.includes(lowerTarget)) return false;
  const word = '(?<![\\p{L}\\p{N}])(?:file|event|email|transaction|id|number)[^\\p{L}\\p{N}.,;!?\\r\\n]+';
  return new RegExp(`(?:${word}|#)${lowerTarget}(?![\\p{L}\\p{N}])`, 'u').test(lowerRequest);
}

/** Where a target was first seen. The request and the results are in lower case already; the target is as it stands. */
export function originOf(target: string, lowerRequest: string, lowerResults: readonly string[]): Origin {
  const lowerTarget = target.toLowerCase();
  if (names(lowerRequest, lowerTarget)) return 'user';
  return lowerResults.some((text) => holds(text, lowerTarget)) ? 'tool' : 'model';
}

/** What stands for a request: SHA-256 of its UTF-8 text, white space folded and trimmed. */
export function requestDigest(request: string): string {
  return `sha256:${sha256(request.replace(/\s+/g, ' ').trim())}`;
}

/** SHA-256 of a UTF-8 text, in hexadecimal digits. */
export function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}
