// The runs of a program over time: their sentences. Pure.
import type { Trend, TrendRun } from '../../../api/api-types';
import type { Sheet } from '../../../export/export';
import { count, day, instant, points, seconds } from '../../../format/format';

/** Returns the part of a run's time that it lost, 0 to 1. */
export const lostPart = (run: TrendRun): number => (run.verdict && run.run_s > 0 ? Math.min(Math.max(run.verdict.lost_s / run.run_s, 0), 1) : 0);

/** Describes a run: name, start, time, light and loss. */
export function describeRun(run: TrendRun): string {
  const { verdict } = run;
  const assessed = verdict ? `${verdict.light ?? 'undecided'}, ${points(verdict.percent)} % lost${verdict.cause ? ` to ${verdict.what}` : ''}` : run.why_not ? 'cannot be estimated' : 'no estimate yet';
  return `${run.job} · ${day(run.start_ns)} · ${seconds(run.run_s)}${run.running ? ' so far' : ''} · ${assessed}`;
}

/** Says how many runs have no verdict yet, and why; '' if all have one that can have one. */
export function waitingWords({ runs }: Trend): string {
  const waiting = runs.filter((run) => !run.verdict && !run.why_not).length;
  return waiting ? `${count(runs.length - waiting, 'run')} of ${runs.length} estimated so far: one after another, the newest first` : '';
}

export const trendSheet = (runs: readonly TrendRun[]): Sheet => ({
  columns: ['job', 'start_utc', 'run_s', 'light', 'lost_percent', 'lost_s', 'cause'],
  rows: runs.map((run) => [run.job, instant(run.start_ns), run.run_s, run.verdict && (run.verdict.light ?? 'undecided'), run.verdict?.percent, run.verdict?.lost_s, run.verdict?.cause]),
});
