// The time of the page: steps, and where the line of the busiest link runs. Pure.

/** Returns the step that an instant, ns, lies in, within those there are. */
export const stepAt = (ns: number, start: number, length: number, steps: number): number =>
  Math.min(Math.max(Math.floor((ns - start) / length), 0), Math.max(steps - 1, 0));

/** Returns the outline of the greatest loads over time as an SVG path in a box of 1 × 1. */
export function peakPath(peaks: readonly number[]): string {
  const most = Math.max(...peaks, 0);
  if (!most) return '';
  const n = (value: number) => String(Math.round(value * 1e4) / 1e4);
  const tops = peaks.map((peak, at) => `L${n(at / peaks.length)} ${n(1 - peak / most)}L${n((at + 1) / peaks.length)} ${n(1 - peak / most)}`);
  return `M0 1${tops.join('')}L1 1Z`;
}

/** Returns a span of half or twice the length about an instant, within a whole, each in s; `bounds`: the shortest and the longest. */
export function zoomed(span: readonly [number, number], factor: number, about: number, whole: readonly [number, number], [least, most]: readonly [number, number]): [number, number] {
  const length = Math.min(Math.max((span[1] - span[0]) * factor, least), whole[1] - whole[0], most);
  const part = (about - span[0]) / Math.max(span[1] - span[0], 1e-9);
  const begin = Math.min(Math.max(about - part * length, whole[0]), whole[1] - length);
  return [begin, begin + length];
}
