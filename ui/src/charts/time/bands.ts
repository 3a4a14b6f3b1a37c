// Spans in which time was lost, merged to what a screen can show (a day has thousands). Pure.

/** A span, s; weight 0 to 1: the part of it that was lost. */
export interface Band { from: number; to: number; weight: number }

/** Weights are rounded to so many levels; neighbours of one level become one band. */
const STEPS = 12;

/** Returns bands for so many columns of a screen; bands within one column are averaged. */
export function bandsForColumns(bands: readonly Band[], from: number, to: number, columns: number): Band[] {
  const count = Math.max(Math.floor(columns), 1);
  const step = (to - from) / count;
  const seen = bands.filter((band) => band.to > from && band.from < to);
  // Few bands, or all wider than columns: each stays as it is, at least one column wide.
  if (seen.length < count / 8 || seen.every((band) => band.to - band.from > 2 * step)) {
    return seen.map((band) => ({ ...band, to: Math.max(band.to, band.from + step) }));
  }
  const sums = new Float64Array(count);
  for (const band of seen) {
    const [a, b] = [Math.max((band.from - from) / step, 0), Math.min((band.to - from) / step, count)];
    for (let at = Math.floor(a); at < b && at < count; at += 1) {
      sums[at] = (sums[at] ?? 0) + band.weight * (Math.min(b, at + 1) - Math.max(a, at));
    }
  }
  const merged: Band[] = [];
  for (let at = 0; at < count; at += 1) {
    const weight = Math.ceil(Math.min(sums[at] ?? 0, 1) * STEPS) / STEPS;
    const last = merged.at(-1);
    if (!weight) continue;
    if (last && last.weight === weight && Math.abs(last.to - (from + at * step)) < step / 2) last.to = from + (at + 1) * step;
    else merged.push({ from: from + at * step, to: from + (at + 1) * step, weight });
  }
  return merged;
}

/** Returns how much of each column was lost, 0 to 1. */
export function coverage(bands: readonly Band[], from: number, to: number, columns: number): Float32Array {
  const shares = new Float32Array(columns);
  const scale = columns / (to - from);
  let seen = 0;
  for (const band of bands) if (band.to > from && band.from < to) seen += 1;
  const few = seen < columns / 8; // each is at least one column wide
  for (const band of bands) {
    if (band.to <= from || band.from >= to) continue;
    const a = Math.max((band.from - from) * scale, 0);
    const b = Math.min(Math.max((band.to - from) * scale, few ? a + 1 : 0), columns);
    for (let at = Math.floor(a); at < b; at += 1) shares[at] = (shares[at] as number) + band.weight * (Math.min(b, at + 1) - Math.max(a, at));
  }
  for (let at = 0; at < columns; at += 1) if (shares[at]) shares[at] = Math.min(Math.max(shares[at] as number, 1 / STEPS), 1);
  return shares;
}
