// Cells and sizes of a heat map. Pure.

/** One cell of a heat map. */
export interface HeatCell {
  /** The strength of its colour, 0 to 1; null: not known. */
  value: number | null;
  text: string; small: string;
  /** `small` in words. */
  more?: string;
  /** Whether there is evidence; otherwise the cell is pale and hatched. */
  sure: boolean;
}

/** Returns the width of the row names, px: that of the longest, which on narrow screens breaks at hyphens into two lines. */
export function namesWidth(names: readonly string[], room: number): number {
  const half = (name: string) => Math.max(...name.split('-').map((part) => part.length + 1), Math.ceil(name.length / 2));
  const longest = Math.max(...names.map((name) => (room < 560 ? half(name) : name.length)), 0);
  return Math.min(Math.max(longest * 7.6 + 20, 84), room < 560 ? 108 : 190);
}

/** Returns the width of a column, px, and whether text fits into it. */
export function columnWidth(columns: number, room: number): { width: number; words: boolean } {
  const width = Math.min(Math.max(Math.floor(room / Math.max(columns, 1)), columns > 40 ? 20 : 62), 132);
  return { width, words: width >= 60 };
}

/** Whether text on a colour should be light, by the luma of the colour. */
export const needsLightText = ([r, g, b]: readonly [number, number, number]) => 0.299 * r + 0.587 * g + 0.114 * b < 140;
