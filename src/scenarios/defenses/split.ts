/**
 * Splits a list of stacks at commas, or a stack at plus signs. In `exec:'COMMAND'@TIER`, quoted either way, neither counts.
 * @param separator one character
 */
export function splitOutsideCommands(text: string, separator: string): string[] {
  const parts = [''];
  for (const [piece] of text.matchAll(/exec:(['"]).*?\1|[^]/gsu)) {
    if (piece === separator) parts.push('');
    else parts[parts.length - 1] += piece;
  }
  return parts;
}
