// A lane of a stack of lanes over time. Pure.
import type { Values } from '../stacked-areas';

/** A span of time in a lane, s, with a remark. */
export interface Mark { from: number; to: number; words: string }
/** Values over time, in columns; null: unknown, or not disclosed. */
export interface Lane {
  name: string; about: string; values: Values;
  /** A second row of values, drawn above the first, and what both are called. */
  second?: { values: Values; names: readonly [string, string] } | undefined;
  marks?: readonly Mark[] | undefined;
  /** Where its name leads. */
  href?: string | undefined;
}

const greatest = (values: Values) => values.reduce((all: number, value) => Math.max(all, value ?? 0), 0);
export const highest = (lane: Lane): number => greatest(lane.second ? lane.values.map((value, at) => (value ?? 0) + (lane.second?.values[at] ?? 0)) : lane.values);

/** Returns what a lane says in a column; without one, its greatest values. */
export function laneSays(lane: Lane, column: number | null, text: (value: number) => string): string {
  const rows: readonly (readonly [string, Values])[] = lane.second
    ? [[`${lane.second.names[0]} `, lane.values], [`${lane.second.names[1]} `, lane.second.values]] : [['', lane.values]];
  return rows.map(([name, values]) => {
    if (column === null) return `${name}up to ${text(greatest(values))}`;
    const value = values[column];
    return `${name}${value === null || value === undefined ? '–' : text(value)}`;
  }).join(' · ');
}

/** Returns where a mark lies in a span, in percent from its start, and how wide it is; null: outside. */
export function placeOf(mark: Mark, [from, to]: readonly [number, number]): { left: number; width: number } | null {
  const [first, last] = [Math.max(mark.from, from), Math.min(mark.to, to)];
  return last > first ? { left: (100 * (first - from)) / (to - from), width: (100 * (last - first)) / (to - from) } : null;
}
