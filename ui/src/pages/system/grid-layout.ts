// The layout of the grid of nodes: rows, time axis, and jobs as rectangles. Pure.
import type { GridJob, GridRow } from '../../api/system';
import { clock, day } from '../../format/format';

export interface Box { job: string; x: number; y: number; width: number; height: number; name: boolean }

/** Returns the height of a row, px: such that all rows fit, but 6 to 30 px. */
export function rowHeight(rows: number, room: number): number {
  return Math.min(Math.max(Math.floor(room / Math.max(rows, 1)), 6), 30);
}

/** Returns a predicate for the rows that show their name: every n-th, so that names do not overlap. */
export function labelledRows(rows: number, high: number, least = 13): (row: number) => boolean {
  const step = Math.max(Math.ceil(least / high), 1);
  return (row) => row % step === 0 && rows - row > (step > 1 ? 0 : -1);
}

/** Returns the name of a row: its node, or its first and last node. */
export const rowName = (row: GridRow) => (row.last ? `${row.host} – ${row.last}` : row.host);

/** Returns the rectangles of the jobs in a span, px; those narrower than a pixel are left out. */
export function jobBoxes(jobs: readonly GridJob[], span: readonly [number, number], width: number, high: number, wide: (text: string) => number): Box[] {
  const scale = width / (span[1] - span[0]);
  const boxes: Box[] = [];
  for (const job of jobs) {
    const left = Math.max((job.start_ns / 1e9 - span[0]) * scale, -2);
    const right = Math.min((job.end_ns / 1e9 - span[0]) * scale, width + 2);
    if (right - left < 1) continue;
    // The name is shown once, in the tallest rectangle of the job.
    const tallest = job.rows.reduce((best, part) => (part[1] - part[0] > best[1] - best[0] ? part : best), job.rows[0] ?? [0, 0]);
    for (const part of job.rows) {
      const height = (part[1] - part[0] + 1) * high;
      const name = part === tallest && height >= 14 && Math.min(right, width) - Math.max(left, 0) > wide(job.job) + 12;
      boxes.push({ job: job.job, x: left, y: part[0] * high, width: right - left, height, name });
    }
  }
  // A name that overlaps the next job would be read as the name of that job.
  const under = (box: Box) => {
    const left = Math.max(box.x, 0);
    return boxes.some((other) => other !== box && other.job !== box.job && other.y < box.y + high && other.y + other.height > box.y && other.x > box.x && other.x < left + wide(box.job) + 12);
  };
  for (const box of boxes) if (box.name && under(box)) box.name = false;
  return boxes;
}

/** Returns the jobs on a row at an instant, ns, the latest start first. */
export function jobsAt(jobs: readonly GridJob[], row: number, ns: number, slack: number): GridJob[] {
  const near = jobs.filter((job) => job.start_ns - slack <= ns && ns <= job.end_ns + slack && job.rows.some(([first, last]) => first <= row && row <= last));
  // Jobs that contain the instant take precedence over jobs that are only near it.
  const there = near.filter((job) => job.start_ns <= ns && ns <= job.end_ns);
  return (there.length ? there : near).sort((a, b) => b.start_ns - a.start_ns);
}

const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800, 2592000];

/** Returns round instants for a time axis, s, UTC. */
export function roundMoments(span: readonly [number, number], width: number, apart = 90): number[] {
  const least = ((span[1] - span[0]) / Math.max(width, 1)) * apart;
  const step = STEPS.find((seconds) => seconds >= least) ?? 2592000 * Math.ceil(least / 2592000);
  const moments: number[] = [];
  for (let at = Math.ceil(span[0] / step) * step; at <= span[1]; at += step) moments.push(at);
  return moments;
}

/** Returns the label of an instant on an axis: a date at midnight, else a time, with seconds for short steps. */
export function momentLabel(at: number, step: number): string {
  if (step >= 86400 || at % 86400 === 0) return day(at * 1e9).slice(0, 10);
  return clock(at * 1e9).slice(0, step < 60 ? 8 : 5);
}

/** Returns the span of a given length at the end of the repository. */
export function latestSpan(length: number, whole: readonly [number, number]): [number, number] {
  return [Math.max(whole[1] - length, whole[0]), whole[1]];
}
