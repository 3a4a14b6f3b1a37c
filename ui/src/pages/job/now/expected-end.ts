// When a running job may end, without and with the present interference.
import type { NowRow, Trend } from '../../../api/api-types';

/** Finished runs of the program that are needed to know how long it takes. */
const ENOUGH = 3;

export interface ExpectedEnd {
  /** Instants in ns since the epoch: if nobody disturbs it from now on, and if it goes on as now. */
  without_ns: number;
  with_ns: number;
  /** Runs that it is known from. */
  runs: number;
}

/** Returns the expected end, from earlier runs less what these lost; null: too few, or it is longer than they were. */
export function expectedEnd(job: NowRow, trend: Trend | undefined): ExpectedEnd | null {
  const alone = (trend?.runs ?? [])
    .filter((run) => !run.running && run.job !== job.job && run.verdict)
    .map((run) => run.run_s - (run.verdict?.lost_s ?? 0))
    .sort((a, b) => a - b);
  if (alone.length < ENOUGH) return null;
  const middle = ((alone[Math.floor((alone.length - 1) / 2)] ?? 0) + (alone[Math.floor(alone.length / 2)] ?? 0)) / 2;
  const left_s = middle - ((job.seen_ns - job.start_ns) / 1e9 - job.lost_s);
  if (left_s <= 0) return null;
  const pace = 1 - Math.min(job.now_percent, 95) / 100;
  return { without_ns: job.seen_ns + left_s * 1e9, with_ns: job.seen_ns + (left_s / pace) * 1e9, runs: alone.length };
}
