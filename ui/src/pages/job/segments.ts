// The segments of a job and its clusters: what is asked, what is said of them, and their scales.
import type { ClusterRow as Cluster, Segments } from '../../api/api-types';
import { ask } from '../../api/request';
import { count, seconds } from '../../format/format';

export type { Box, ClusterRow as Cluster, Points, Rest, Segments } from '../../api/api-types';

export const segments = (job: string, query: { cluster: number | null; from_ns?: number; to_ns?: number; points: number }, signal?: AbortSignal) =>
  ask<Segments>(`jobs/${encodeURIComponent(job)}/segments`, query, signal);

/** Why there is nothing to draw, in words; null where there is something. */
export function nothing(made: Segments): { title: string; text: string } | null {
  if (made.total > 0) return null;
  if (made.world < 0)
    return { title: 'This job has no segments', text: 'A segment is what a job does between two MPI calls that all its ranks take part in. None is known of this job: its time is judged slice by slice.' };
  return { title: 'No segments were recorded', text: 'The ranks of this job took part in no MPI call together after they began, or their segments have expired.' };
}

/** What the segments say, in one sentence. */
export function finding(made: Segments): string {
  if (made.total === 1) return 'The whole run is one segment: there is nothing like it to compare it with.';
  const one = made.clusters.length + made.rest.clusters === 1;
  const of = one ? `${count(made.total, 'segment')}, all of one cluster,` : count(made.total, 'segment');
  if (!made.hit) return one ? `${count(made.total, 'segment')}, all of one cluster: none took longer than its like.` : `None of ${of} took longer than its like.`;
  return `${made.hit.toLocaleString('en')} of ${of} took longer than their like: ${seconds(made.excess_s)} lost.`;
}

/** What one cluster says (thesis 5.13, 5.14). */
export function told(one: Cluster, method: string): string {
  const ended = `ended by ${one.name}`;
  if (!one.usable) return `Cluster ${one.number}, ${ended}: too few of its kind to know what is usual; only waiting that was measured counts.`;
  const head = one.hit
    ? `${one.hit.toLocaleString('en')} of ${count(one.members, 'segment')} of cluster ${one.number}, ${ended}, ${one.hit === 1 ? 'is' : 'are'} disturbed: ${seconds(one.excess_s)} lost.`
    : `None of ${count(one.members, 'segment')} of cluster ${one.number}, ${ended}, is disturbed.`;
  const own = method === 'jostle' ? ' on average' : '';
  const below = method === 'jostle' && one.hit ? ' What was measured call by call counts below it too.' : '';
  return `${head} Undisturbed they take ${seconds(one.reference_s)}, the threshold is ${seconds(one.threshold_s)}${own}.${below}`;
}

/** Clusters as they are listed: those that lost most first, then those that took most. */
export const ranked = (clusters: readonly Cluster[]): Cluster[] =>
  [...clusters].sort((a, b) => b.excess_s - a.excess_s || b.total_s - a.total_s);

/** Whether all segments of the span are in the answer, so that no closer look needs another. */
export const whole = (made: Segments): boolean => made.usual.at_s.length + made.hits.at_s.length === made.within;

export interface Axis { low: number; high: number; log: boolean; cut: boolean; ticks: number[] }

const DIGITS = [1, 2, 2.5, 5, 10];
/** Values beyond this many times of what is usual are drawn at the edge. */
const CUT = 4;

/** A scale from 0; a few outliers do not flatten the rest (as in the figures of `--plot`). */
export function linear(values: readonly number[], marks: readonly number[] = []): Axis {
  const known = values.filter((value) => value > 0).sort((a, b) => a - b);
  const most = Math.max(known.at(-1) ?? 0, ...marks.filter((mark) => Number.isFinite(mark)), 1e-9);
  const usual = known[Math.floor((known.length - 1) * 0.98)] ?? most;
  const cut = most > CUT * usual;
  const high = Math.max(cut ? 1.35 * usual : most * 1.06, ...marks.map((mark) => mark * 1.06));
  const about = high / 4;
  const scale = 10 ** Math.floor(Math.log10(about));
  const step = (DIGITS.find((digit) => digit * scale >= about * 0.999) ?? 10) * scale;
  return { low: 0, high, log: false, cut, ticks: Array.from({ length: Math.floor(high / step + 1e-9) + 1 }, (_, at) => at * step) };
}

/** A scale of powers around some values, with about so many labels. */
export function powers(values: readonly number[], most = 6): Axis {
  let [low, high] = [Infinity, 0];
  for (const value of values) {
    if (!(value > 0)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (!(high > 0)) [low, high] = [1e-3, 1];
  [low, high] = [low * 0.8, high * 1.25];
  const decades = Math.log10(high / low);
  const digits = decades < 1.2 ? [1, 2, 5] : decades < 2.5 ? [1, 3] : [1];
  const every = Math.max(Math.ceil(decades / most), 1);
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power += 1) {
    if (digits.length === 1 && power % every !== 0) continue;
    for (const digit of digits) {
      const tick = digit * 10 ** power;
      if (tick >= low && tick <= high) ticks.push(tick);
    }
  }
  return { low, high, log: true, cut: false, ticks };
}

/** Where a value lies on a scale: 0 at its lower end, 1 at its upper; what is beyond lies on the edge. */
export function place(axis: Axis, value: number): number {
  const at = axis.log ? Math.log(Math.max(value, 1e-12) / axis.low) / Math.log(axis.high / axis.low) : (value - axis.low) / (axis.high - axis.low);
  return Math.min(Math.max(at, 0), 1);
}

/** A span as a label of an axis: `20 ms`, `1.5 s`. */
export const label = (value: number): string => seconds(value).replace(/\.0+(?= )/, '').replace(/(\.\d*?)0+(?= )/, '$1');

const STEPS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400];

/** Round instants of a span for an axis, s since the epoch, of UTC. */
export function instants(from: number, to: number, most: number): number[] {
  const about = (to - from) / Math.max(most, 1);
  const step = STEPS.find((one) => one >= about) ?? Math.ceil(about / 86400) * 86400;
  const first = Math.ceil(from / step - 1e-9);
  const last = Math.floor(to / step + 1e-9);
  return Array.from({ length: Math.max(last - first + 1, 0) }, (_, at) => (first + at) * step);
}
