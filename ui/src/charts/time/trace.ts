// A track as pixels: each column gets the minimum and maximum of its steps, so that
// a step of zoom costs as much as the screen is wide, however many slices there are. Pure.
import type { Track } from './track';

/** A track as typed arrays; NaN: no value. */
export interface TrackArrays { at: Float64Array; mean: Float32Array; low: Float32Array; high: Float32Array }
/** For each column the range of the means (least, most) and of minima and maxima (low, high); NaN: nothing. */
export interface Columns { least: Float32Array; most: Float32Array; low: Float32Array; high: Float32Array; peak: number }
type Rgb = readonly [number, number, number];
/** The colours of a track; `veil`: alpha of the ribbon; `half`: half of the line's width, px. */
export interface TraceStyle { line: Rgb; fill: Rgb | null; veil: number; half: number }

function numbers(values: Track['mean']): Float32Array {
  const array = new Float32Array(values.length);
  for (let i = 0; i < array.length; i += 1) array[i] = values[i] ?? NaN;
  return array;
}

export function arraysOf(track: Track): TrackArrays {
  return { at: Float64Array.from(track.at), mean: numbers(track.mean), low: numbers(track.low), high: numbers(track.high) };
}

/** Returns the index of the step that contains an instant; 0 before the first. */
function stepAt(at: Float64Array, time: number): number {
  let [low, high] = [0, Math.max(at.length - 1, 0)];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((at[middle] ?? Infinity) <= time) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Sorts the steps of a span into columns; `reach`: half of the width of a vertical line, in columns. */
export function columnsOf({ at, mean, low, high }: TrackArrays, from: number, to: number, width: number, reach = 0): Columns {
  const none = () => new Float32Array(width).fill(NaN);
  const [least, most, lows, highs] = [none(), none(), none(), none()];
  const scale = width / (to - from);
  let [before, peak] = [NaN, 0];
  const stretch = (first: number, last: number, a: number, b: number, under: Float32Array, over: Float32Array) => {
    for (let column = Math.max(first, 0); column < last && column < width; column += 1) {
      if (!((under[column] as number) <= a)) under[column] = a;
      if (!((over[column] as number) >= b)) over[column] = b;
    }
  };
  for (let i = stepAt(at, from); i + 1 < at.length && (at[i] as number) < to; i += 1) {
    const value = mean[i] as number;
    if (value === value && (at[i + 1] as number) > from) {
      const begin = Math.min(Math.max(Math.round(((at[i] as number) - from) * scale), 0), width - 1);
      const end = Math.max(Math.round(((at[i + 1] as number) - from) * scale), begin + 1);
      const top = high[i] as number;
      stretch(begin, end, value, value, least, most);
      stretch(begin, end, low[i] as number, top, lows, highs);
      if (before === before && before !== value) stretch(begin - reach, begin + reach + 1, Math.min(before, value), Math.max(before, value), least, most);
      if (top > peak) peak = top;
      if (value > peak) peak = value;
    }
    before = value;
  }
  return { least, most, low: lows, high: highs, peak };
}

const packed = ([r, g, b]: Rgb, alpha: number) => ((Math.round(alpha * 255) << 24) | (Math.round(b) << 16) | (Math.round(g) << 8) | Math.round(r)) >>> 0;
const mixed = (over: Rgb, under: Rgb, part: number): Rgb => [0, 1, 2].map((i) => (over[i] ?? 0) * part + (under[i] ?? 0) * (1 - part)) as unknown as Rgb;

/**
 * Paints columns: the area below the line, the ribbon from minimum to maximum, then the line.
 * The picture is transposed (a column of the screen is a row of pixels), because contiguous runs are written fastest.
 * `below` is the number of extra pixels for the lower half of a line at zero.
 */
export function paintColumns(columns: Columns, size: { width: number; height: number; below: number }, top: number, look: TraceStyle, ribbon: boolean, out: Uint32Array) {
  const { width, height } = size;
  const tall = height + size.below;
  const line = packed(look.line, 1);
  const fill = look.fill ? packed(look.fill, 1) : 0;
  const veil = packed(look.line, look.veil);
  const both = look.fill ? packed(mixed(look.line, look.fill, look.veil), 1) : veil;
  const y = (value: number) => height * (1 - value / top);
  const row = (value: number) => Math.min(Math.max(Math.round(y(value)), 0), height);
  const soft = edge(look, line);
  out.fill(0);
  for (let x = 0; x < width; x += 1) {
    const [least, most, begin] = [columns.least[x] as number, columns.most[x] as number, x * tall];
    if (least !== least) continue;
    const floor = row(least);
    if (fill) out.fill(fill, begin + floor, begin + height);
    if (ribbon) {
      const [high, low] = [row(columns.high[x] as number), row(columns.low[x] as number)];
      if (high < floor) out.fill(veil, begin + high, begin + Math.min(floor, low));
      if (floor < low) out.fill(both, begin + Math.max(floor, high), begin + low);
    }
    // The line's ends cover a part of a pixel.
    const [a, b] = [Math.max(y(most) - look.half, 0), Math.min(y(least) + look.half, tall)];
    const [first, last] = [Math.ceil(a), Math.floor(b)];
    for (let at = begin + first; at < begin + last; at += 1) out[at] = line;
    if (first - a > 0.02 && first > 0) soft(out, begin + first - 1, first - a);
    if (b - last > 0.02 && last < tall) soft(out, begin + last, b - last);
  }
}

/** Returns a function that blends a part of the line's colour over a pixel. */
function edge(look: TraceStyle, line: number): (out: Uint32Array, at: number, part: number) => void {
  const rgb = line & 0xffffff;
  return (out, at, part) => {
    const under = out[at] as number;
    const alpha = under >>> 24;
    if (alpha < 255) { out[at] = ((Math.round(255 * part + alpha * (1 - part)) << 24) | rgb) >>> 0; return; }
    out[at] = packed(mixed(look.line, [under & 255, (under >> 8) & 255, (under >> 16) & 255], part), 1);
  };
}
