/** The candidates that a mistyped name may have meant, nearest first, three at most. */
export function nearNames(typed: string, candidates: Iterable<string>): string[] {
  const limit = Math.max(1, Math.floor(typed.length / 3));
  return [...new Set(candidates)]
    .map((name) => ({ name, far: distance(typed.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, far }) => far <= limit || (typed.length > 2 && name.toLowerCase().startsWith(typed.toLowerCase())))
    .sort((a, b) => a.far - b.far || (a.name < b.name ? -1 : 1))
    .slice(0, 3)
    .map(({ name }) => name);
}

/** `; did you mean a or b?`, or nothing when no candidate is near. */
export function suggest(typed: string, candidates: Iterable<string>): string {
  const near = nearNames(typed, candidates);
  return near.length === 0 ? '' : `; did you mean ${near.join(' or ')}?`;
}

/** Damerau and Levenshtein's distance with adjacent transpositions (optimal string alignment). */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      row[j] = Math.min(above[j]! + 1, row[j - 1]! + 1, above[j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        row[j] = Math.min(row[j]!, before[j - 2]! + 1);
    }
    before = above;
    above = row;
  }
  return above[b.length]!;
}
