// Arithmetic of zoom and pan of a time span, s. Positions are parts of the width, 0 to 1. Pure.
export type TimeSpan = readonly [number, number];

/** Moves a span into the whole, and shortens it only if it is too long. */
export function clampSpan(span: TimeSpan, whole: TimeSpan, least: number): TimeSpan {
  const most = whole[1] - whole[0];
  const length = Math.min(Math.max(span[1] - span[0], Math.min(least, most)), most);
  const begin = Math.min(Math.max(span[0], whole[0]), whole[1] - length);
  return [begin, begin + length];
}

/** Multiplies the length of a span; the instant at `place` stays there. */
export function scaleSpan(span: TimeSpan, factor: number, place = 0.5): TimeSpan {
  const at = span[0] + (span[1] - span[0]) * place;
  return [at - (at - span[0]) * factor, at + (span[1] - at) * factor];
}

/** Moves a span by a part of its length. */
export function panSpan(span: TimeSpan, part: number): TimeSpan {
  const by = (span[1] - span[0]) * part;
  return [span[0] + by, span[1] + by];
}

/** Returns the span after two fingers moved: the instant under each finger stays under it. */
export function pinchSpan(span: TimeSpan, before: TimeSpan, after: TimeSpan): TimeSpan {
  const length = span[1] - span[0];
  const apart = Math.max(Math.abs(after[1] - after[0]), 0.02) * (after[1] < after[0] ? -1 : 1);
  const wide = Math.max(Math.abs(before[1] - before[0]), 0.02) * (before[1] < before[0] ? -1 : 1);
  const scaled = Math.abs((length * wide) / apart);
  const middle = span[0] + (length * (before[0] + before[1])) / 2;
  const begin = middle - (scaled * (after[0] + after[1])) / 2;
  return [begin, begin + scaled];
}

/** Whether two spans differ by less than 1 ms. */
export const isSameSpan = (a: TimeSpan, b: TimeSpan) => Math.abs(a[0] - b[0]) < 1e-3 && Math.abs(a[1] - b[1]) < 1e-3;
