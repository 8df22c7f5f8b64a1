/**
 * The p-quantile of values in ascending order: linear interpolation between the order statistics around (n - 1) p,
 * counted from 0 (definition 7 of Hyndman and Fan, "Sample quantiles in statistical packages", The American
 * Statistician 50(4), 1996; the default of R and NumPy). NaN when there are no values.
 */
export function quantile(ascending: ArrayLike<number>, p: number): number {
  const position = (ascending.length - 1) * p;
  const below = ascending[Math.floor(position)];
  const above = ascending[Math.ceil(position)];
  if (below === undefined || above === undefined) return Number.NaN;
  return below + (above - below) * (position - Math.floor(position));
}

/** The median of values in any order; NaN when there are none. */
export function median(values: ArrayLike<number>): number {
  return quantile(Float64Array.from(values).toSorted(), 0.5);
}

/** The values of all resamples that hold a trial, in ascending order. */
export function sortedDefined(rates: Float64Array): Float64Array {
  return rates.filter((rate) => !Number.isNaN(rate)).toSorted();
}
