// Axes of durations, linear from 0 or logarithmic, and round instants of time axes. Pure.
import { seconds } from '../format/format';

export interface Axis { low: number; high: number; log: boolean; cut: boolean; ticks: number[] }

const DIGITS = [1, 2, 2.5, 5, 10];
/** If the maximum exceeds this multiple of the 98th percentile, the axis is cut and larger values are drawn at its edge. */
const CUT = 4;

/** Returns an axis from 0; a few outliers do not flatten the rest (as in the figures of `--plot`). */
export function linearAxis(values: readonly number[], marks: readonly number[] = []): Axis {
  const known = values.filter((value) => value > 0).sort((a, b) => a - b);
  const most = Math.max(known.at(-1) ?? 0, ...marks.filter((mark) => Number.isFinite(mark)), 1e-9);
  const usual = known[Math.floor((known.length - 1) * 0.98)] ?? most;
  const cut = most > CUT * usual;
  const high = Math.max(cut ? 1.35 * usual : most * 1.06, ...marks.map((mark) => mark * 1.06));
  const about = high / 4;
  const scale = 10 ** Math.floor(Math.log10(about));
  const step = (DIGITS.find((digit) => digit * scale >= about * 0.999) ?? 10) * scale;
  return { low: 0, high, log: false, cut, ticks: Array.from({ length: Math.floor(high / step + 1e-9) + 1 }, (_, at) => at * step) };
}

/** Returns a logarithmic axis around some values, with about `most` labels. */
export function logAxis(values: readonly number[], most = 6): Axis {
  let [low, high] = [Infinity, 0];
  for (const value of values) {
    if (!(value > 0)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (!(high > 0)) [low, high] = [1e-3, 1];
  [low, high] = [low * 0.8, high * 1.25];
  const decades = Math.log10(high / low);
  const digits = decades < 1.2 ? [1, 2, 5] : decades < 2.5 ? [1, 3] : [1];
  const every = Math.max(Math.ceil(decades / most), 1);
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power += 1) {
    if (digits.length === 1 && power % every !== 0) continue;
    for (const digit of digits) {
      const tick = digit * 10 ** power;
      if (tick >= low && tick <= high) ticks.push(tick);
    }
  }
  return { low, high, log: true, cut: false, ticks };
}

/** Returns the position of a value on an axis: 0 at its lower end, 1 at its upper; values beyond are on the edge. */
export function axisPosition(axis: Axis, value: number): number {
  const at = axis.log ? Math.log(Math.max(value, 1e-12) / axis.low) / Math.log(axis.high / axis.low) : (value - axis.low) / (axis.high - axis.low);
  return Math.min(Math.max(at, 0), 1);
}

/** Returns a duration as an axis label: `20 ms`, `1.5 s`. */
export const durationLabel = (value: number): string => seconds(value).replace(/\.0+(?= )/, '').replace(/(\.\d*?)0+(?= )/, '$1');

const STEPS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400];

/** Returns round instants of a span for an axis, s since the epoch, UTC. */
export function roundInstants(from: number, to: number, most: number): number[] {
  const about = (to - from) / Math.max(most, 1);
  const step = STEPS.find((seconds) => seconds >= about) ?? Math.ceil(about / 86400) * 86400;
  const first = Math.ceil(from / step - 1e-9);
  const last = Math.floor(to / step + 1e-9);
  return Array.from({ length: Math.max(last - first + 1, 0) }, (_, at) => (first + at) * step);
}
