// The layout of the grid of nodes: rows, time axis, and jobs as rectangles. Pure.
import type { MountLoad } from '../../api/api-types';
import type { GridJob, GridRow } from '../../api/system';
import { bytes, clock, day, digits, rate, seconds } from '../../format/format';

/** `label`: its name, shortened to the room that it has; '' without room. */
export interface Box { job: string; x: number; y: number; width: number; height: number; label: string }

/** Returns the height of a row, px: such that all rows fit, but 6 to 30 px. */
export function rowHeight(rows: number, room: number): number {
  return Math.min(Math.max(Math.floor(room / Math.max(rows, 1)), 6), 30);
}

/** Returns the names next to the rows with their middles, px: one for each node, as far as they do not overlap. */
export function rowLabels(rows: readonly GridRow[], high: number, least = 13): { row: number; lanes: number; y: number }[] {
  const labels: { row: number; lanes: number; y: number }[] = [];
  rows.forEach(({ lane, lanes }, row) => {
    const y = (row + lanes / 2) * high;
    if (lane === 0 && y - (labels.at(-1)?.y ?? -least) >= least) labels.push({ row, lanes, y });
  });
  return labels;
}

/** Returns the name of a row: its node, or its first and last node. */
export const rowName = (row: GridRow) => (row.last ? `${row.host} – ${row.last}` : row.host);

const LEAST_LETTERS = 4;
/** Returns a name that is no wider than the room, px, with an ellipsis where it is cut; '' if too little would remain. */
export function shortened(name: string, room: number, wide: (text: string) => number): string {
  const whole = wide(name);
  if (whole <= room) return name;
  const letters = Math.floor(((room - wide('…')) / whole) * name.length);
  return letters >= LEAST_LETTERS ? `${name.slice(0, letters)}…` : '';
}

/** Returns the rectangles of the jobs in a span, px; those narrower than a pixel are left out. */
export function jobBoxes(jobs: readonly GridJob[], span: readonly [number, number], width: number, high: number, wide: (text: string) => number): Box[] {
  const scale = width / (span[1] - span[0]);
  const boxes: Box[] = [];
  const named: Box[] = [];
  for (const job of jobs) {
    const left = Math.max((job.start_ns / 1e9 - span[0]) * scale, -2);
    const right = Math.min((job.end_ns / 1e9 - span[0]) * scale, width + 2);
    if (right - left < 1) continue;
    // The name is shown once, in the tallest rectangle of the job.
    const tallest = job.rows.reduce((best, part) => (part[1] - part[0] > best[1] - best[0] ? part : best), job.rows[0] ?? [0, 0]);
    for (const part of job.rows) {
      const box = { job: job.job, x: left, y: part[0] * high, width: right - left, height: (part[1] - part[0] + 1) * high, label: '' };
      boxes.push(box);
      if (part === tallest && box.height >= 14) named.push(box);
    }
  }
  for (const box of named) {
    // A name that overlaps the next job would be read as the name of that job.
    const left = Math.max(box.x, 0);
    const right = boxes.reduce((end, other) => (other.job !== box.job && other.y < box.y + high && other.y + other.height > box.y && other.x > box.x ? Math.min(end, other.x) : end), Math.min(box.x + box.width, width));
    box.label = shortened(box.job, right - left - 12, wide);
  }
  return boxes;
}

/** The things that are counted where a metric is time per time, by metric. */
const BUSY: Record<string, string> = {
  cpu: 'cores busy', os_user_ns: 'cores busy', os_system_ns: 'cores busy', communication: 'processes in communication or files', wait: 'processes waiting', time: 'processes in file calls',
};

/** Returns a value of the grid or of a load as text: time per time is a number of cores or processes. */
export function loadText(value: number, unit: string, metric: string): string {
  if (unit !== 's/s') return rate(value, unit);
  return `${value > 0 && value < 0.01 ? 'under 0.01' : digits(value)} ${BUSY[metric] ?? 'processes'}`;
}

/** Returns the jobs on a row at an instant, ns, the latest start first. */
export function jobsAt(jobs: readonly GridJob[], row: number, ns: number, slack: number): GridJob[] {
  const near = jobs.filter((job) => job.start_ns - slack <= ns && ns <= job.end_ns + slack && job.rows.some(([first, last]) => first <= row && row <= last));
  // Jobs that contain the instant take precedence over jobs that are only near it.
  const there = near.filter((job) => job.start_ns <= ns && ns <= job.end_ns);
  return (there.length ? there : near).sort((a, b) => b.start_ns - a.start_ns);
}

/** Returns all that was moved on a mount as text: bytes, calls, or time. */
export function mountAmount(total: number, unit: string): string {
  if (unit === 'bytes/s') return bytes(total);
  return unit === 's/s' ? seconds(total) : rate(total, '');
}

/** A mount with a smaller part of the whole load is folded away. */
const NEXT_TO_NOTHING = 0.005;
/** Splits mounts into those with a chart, and those with next to no load. */
export function foldMounts(mounts: readonly MountLoad[]): { shown: MountLoad[]; folded: MountLoad[] } {
  const whole = mounts.reduce((sum, mount) => sum + mount.total, 0);
  const little = (mount: MountLoad) => mount.total < NEXT_TO_NOTHING * whole;
  return { shown: mounts.filter((mount) => !little(mount)), folded: mounts.filter(little) };
}

const STEPS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800, 2592000];

/** Returns round instants for a time axis, s, UTC. */
export function roundMoments(span: readonly [number, number], width: number, apart = 90): number[] {
  const least = ((span[1] - span[0]) / Math.max(width, 1)) * apart;
  const step = STEPS.find((seconds) => seconds >= least) ?? 2592000 * Math.ceil(least / 2592000);
  const moments: number[] = [];
  const first = Math.ceil(span[0] / step);
  for (let number = first; number * step <= span[1]; number += 1) moments.push(number * step); // no sum: parts of a second would drift
  return moments;
}

/** Returns the label of an instant on an axis: a date at midnight, else a time, with seconds for short steps. */
export function momentLabel(at: number, step: number): string {
  if (step >= 86400 || at % 86400 === 0) return day(at * 1e9).slice(0, 10);
  return clock(at * 1e9, step < 1).slice(0, step < 1 ? 10 : step < 60 ? 8 : 5);
}

/** Returns the span of a given length at the end of the repository. */
export function latestSpan(length: number, whole: readonly [number, number]): [number, number] {
  return [Math.max(whole[1] - length, whole[0]), whole[1]];
}
