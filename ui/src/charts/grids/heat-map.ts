// The cells of a heat map, and how wide its rows and columns are. Pure.

/** One field of a heat map. */
export interface HeatCell {
  /** How harmful, 0 to 1; null: not known. */
  value: number | null;
  text: string; small: string;
  /** What `small` says, in words. */
  more?: string;
  /** Whether there is evidence; else it is pale and hatched. */
  sure: boolean;
}

/** Room for the names of rows: of the longest, which may take two lines at its hyphens. */
export function namesWidth(names: readonly string[], room: number): number {
  const half = (name: string) => Math.max(...name.split('-').map((part) => part.length + 1), Math.ceil(name.length / 2));
  const longest = Math.max(...names.map((name) => (room < 560 ? half(name) : name.length)), 0);
  return Math.min(Math.max(longest * 7.6 + 20, 84), room < 560 ? 108 : 190);
}

/** How wide a column is, and whether words fit into it. */
export function columnWidth(columns: number, room: number): { width: number; words: boolean } {
  const width = Math.min(Math.max(Math.floor(room / Math.max(columns, 1)), columns > 40 ? 20 : 62), 132);
  return { width, words: width >= 60 };
}

/** Whether text on a colour should be light: by what the eye sees of it. */
export const needsLightText = ([r, g, b]: readonly [number, number, number]) => 0.299 * r + 0.587 * g + 0.114 * b < 140;
