// Where things lie on the system's grid: rows of nodes, columns of time, jobs as rectangles. Pure.
import type { GridJob, GridRow } from '../../api/system';
import { clock, day } from '../../format/format';

export interface Box { job: string; x: number; y: number; width: number; height: number; name: boolean }

/** Rows are as high as the picture allows: names of nodes are read, thousands are scrolled. */
export function rowHeight(rows: number, room: number): number {
  return Math.min(Math.max(Math.floor(room / Math.max(rows, 1)), 6), 30);
}

/** Which rows bear their name: every n-th, so that names do not touch. */
export function labelledRows(rows: number, high: number, least = 13): (row: number) => boolean {
  const step = Math.max(Math.ceil(least / high), 1);
  return (row) => row % step === 0 && rows - row > (step > 1 ? 0 : -1);
}

/** A row's nodes in words. */
export const rowName = (row: GridRow) => (row.last ? `${row.host} – ${row.last}` : row.host);

/** The rectangles of the jobs in a span, in pixels; those narrower than a pixel are left out. */
export function jobBoxes(jobs: readonly GridJob[], span: readonly [number, number], width: number, high: number, wide: (text: string) => number): Box[] {
  const scale = width / (span[1] - span[0]);
  const boxes: Box[] = [];
  for (const job of jobs) {
    const left = Math.max((job.start_ns / 1e9 - span[0]) * scale, -2);
    const right = Math.min((job.end_ns / 1e9 - span[0]) * scale, width + 2);
    if (right - left < 1) continue;
    // The name stands once: in the largest part that it fits into.
    const tallest = job.rows.reduce((best, part) => (part[1] - part[0] > best[1] - best[0] ? part : best), job.rows[0] ?? [0, 0]);
    for (const part of job.rows) {
      const height = (part[1] - part[0] + 1) * high;
      const name = part === tallest && height >= 14 && Math.min(right, width) - Math.max(left, 0) > wide(job.job) + 12;
      boxes.push({ job: job.job, x: left, y: part[0] * high, width: right - left, height, name });
    }
  }
  // Where another job begins under a name, the name would be read as its own.
  const under = (box: Box) => {
    const left = Math.max(box.x, 0);
    return boxes.some((other) => other !== box && other.job !== box.job && other.y < box.y + high && other.y + other.height > box.y && other.x > box.x && other.x < left + wide(box.job) + 12);
  };
  for (const box of boxes) if (box.name && under(box)) box.name = false;
  return boxes;
}

/** The jobs on a row at a moment, the latest to begin first. */
export function jobsAt(jobs: readonly GridJob[], row: number, ns: number, slack: number): GridJob[] {
  const near = jobs.filter((job) => job.start_ns - slack <= ns && ns <= job.end_ns + slack && job.rows.some(([first, last]) => first <= row && row <= last));
  // Who really is there goes before who is only near.
  const there = near.filter((job) => job.start_ns <= ns && ns <= job.end_ns);
  return (there.length ? there : near).sort((a, b) => b.start_ns - a.start_ns);
}

const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800, 2592000];

/** Round moments on a time axis, in seconds; of UTC. */
export function roundMoments(span: readonly [number, number], width: number, apart = 90): number[] {
  const least = ((span[1] - span[0]) / Math.max(width, 1)) * apart;
  const step = STEPS.find((seconds) => seconds >= least) ?? 2592000 * Math.ceil(least / 2592000);
  const moments: number[] = [];
  for (let at = Math.ceil(span[0] / step) * step; at <= span[1]; at += step) moments.push(at);
  return moments;
}

/** A moment on an axis: with seconds where they matter, as a date at midnight. */
export function momentLabel(at: number, step: number): string {
  if (step >= 86400 || at % 86400 === 0) return day(at * 1e9).slice(0, 10);
  return clock(at * 1e9).slice(0, step < 60 ? 8 : 5);
}

/** What follows now: a span that ends where the repository does. */
export function latestSpan(length: number, whole: readonly [number, number]): [number, number] {
  return [Math.max(whole[1] - length, whole[0]), whole[1]];
}
