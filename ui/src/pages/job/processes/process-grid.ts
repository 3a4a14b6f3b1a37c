// The process grid: its cells, means, labels and stragglers. Pure.
import type { Grid } from '../../../api/jobs';

type Cells = Pick<Grid, 'start_ns' | 'step_ns' | 'columns' | 'rows' | 'values'>;

const line = (grid: Cells, row: number) => grid.values.subarray(row * grid.columns, (row + 1) * grid.columns);

/** Returns the value of a process at an instant, s; null: no record. */
export function cellValue(grid: Cells, row: number, time: number): number | null {
  const column = Math.floor((time * 1e9 - grid.start_ns) / grid.step_ns);
  const value = column < 0 || column >= grid.columns ? NaN : (grid.values[row * grid.columns + column] ?? NaN);
  return value === value ? value : null;
}

/** Returns the mean of each process over the span; NaN: no record. */
export function processMeans(grid: Cells): number[] {
  return grid.rows.map((_, row) => {
    let [sum, known] = [0, 0];
    for (const value of line(grid, row)) if (value === value) { sum += value; known += 1; }
    return known ? sum / known : NaN;
  });
}

/** Returns the greatest value of a process, and when it was; null: no record. */
export function peakOf(grid: Cells, row: number): { value: number; at_ns: number } | null {
  let [greatest, at] = [-Infinity, -1];
  line(grid, row).forEach((value, column) => { if (value > greatest) { greatest = value; at = column; } });
  return at < 0 ? null : { value: greatest, at_ns: grid.start_ns + at * grid.step_ns };
}

export function greatestValue(grid: Cells): number {
  let most = 0;
  for (const value of grid.values) if (value > most) most = value;
  return most;
}

const FAR = 1.5;
/** Names the rank that differs most from the median; null if there are too few ranks or no load. */
export function describeStragglers(grid: Cells, mean: readonly number[]): string | null {
  const ranked = grid.rows.some((process) => process.rank >= 0); // the process that starts the ranks is no straggler
  const known = mean.flatMap((value, row) => (value === value && (!ranked || (grid.rows[row]?.rank ?? 0) >= 0) ? [{ value, row }] : [])).sort((a, b) => a.value - b.value);
  const middle = known[Math.floor(known.length / 2)]?.value ?? 0;
  const [low, high] = [known[0], known.at(-1)];
  if (known.length < 3 || !low || !high || middle <= 0) return null;
  const who = (row: number) => grid.rows[row]?.name ?? '';
  if (high.value > FAR * middle) return `${who(high.row)} has ${(high.value / middle).toFixed(1)} × the median`;
  if (low.value * FAR < middle) return `${who(low.row)} has ${Math.round((100 * low.value) / middle)} % of the median`;
  return `all within ${Math.max(Math.round(100 * (high.value / middle - 1)), Math.round(100 * (1 - low.value / middle)))} % of the median`;
}

const LABEL = 15;
/** Returns the row labels that fit next to a picture of that height, px. */
export function rowLabels(grid: Cells, height: number): { row: number; y: number; text: string }[] {
  const each = height / grid.rows.length;
  const every = Math.max(Math.ceil(LABEL / each), 1);
  return grid.rows.flatMap((process, row) =>
    row % every === 0 && row * each + LABEL <= height + 2 ? [{ row, y: (row + 0.5) * each - 7 < 0 ? 0 : (every === 1 ? (row + 0.5) * each - 7 : row * each), text: process.name }] : []);
}

const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];
/** Returns round instants (UTC, s) for a time axis. */
export function timeTicks(from: number, to: number, width: number, room = 90): number[] {
  const wanted = ((to - from) * room) / Math.max(width, 1);
  const step = STEPS.find((seconds) => seconds >= wanted) ?? 86400;
  const first = Math.ceil(from / step) * step;
  const ticks: number[] = [];
  for (let t = first; t <= to; t += step) if ((t - from) / (to - from) < 0.97 && (t - from) / (to - from) > 0.02) ticks.push(t);
  return ticks;
}

/** Returns the values of the grid as a sheet, one row per process and column. */
export function gridSheet(grid: Grid): { columns: string[]; rows: (string | number | null)[][] } {
  return {
    columns: ['process', 'node', 'start_s', `value (${grid.unit})`],
    rows: grid.rows.flatMap((process, row) => [...line(grid, row)].map((value, column) => [process.name, process.host, (grid.start_ns + column * grid.step_ns) / 1e9, value === value ? value : null])),
  };
}
