// A series over time as steps, and a chart of it. Pure.

export type Values = (number | null)[];
/** Steps over time: `at` has the start of each step, s, and the end of the last; the last value is repeated. */
export interface Track { at: number[]; mean: Values; low: Values; high: Values }
/** One chart of a stack. */
export interface Panel {
  key: string; title: string; note: string; unit: string; tone: 'own' | 'others';
  /** A horizontal line to compare values with. */
  base?: number;
  /** Steps hold several slices: minimum and maximum are drawn too. */
  ribbon: boolean;
  track: Track;
}

/** Returns the mean of a track at an instant, s; null: no value. */
export function valueAt(track: Track, time: number): number | null {
  let [low, high] = [0, track.at.length - 1];
  if (time < (track.at[0] ?? Infinity) || time >= (track.at[high] ?? -Infinity)) return null;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((track.at[middle] ?? Infinity) <= time) low = middle;
    else high = middle - 1;
  }
  return track.mean[low] ?? null;
}
