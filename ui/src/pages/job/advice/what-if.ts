// What a job would lose to other jobs of its user if it started earlier or later. Pure.
import type { Recommendations } from '../../../api/api-types';
import { seconds } from '../../../format/format';

/** Seconds for which two spans overlap. */
const overlap = (from: number, to: number, begin: number, end: number) => Math.max(Math.min(to, end) - Math.max(from, begin), 0);

/** How far a job may be moved so that it still matters, in whole seconds: [earlier (below 0), later]. */
export function range({ run_s, own_neighbours }: Recommendations): readonly [number, number] {
  const earliest = Math.min(...own_neighbours.map((other) => other.start_s)) - run_s;
  const latest = Math.max(...own_neighbours.map((other) => other.end_s));
  return [Math.min(Math.floor(earliest), 0), Math.max(Math.ceil(latest), 0)];
}

/** What a job would lose in all, in seconds, if it started so much later: by how long it would run at the same time as jobs of its own user. What others cost stays. */
export function lostAt(given: Recommendations, laterS: number): number {
  const own = given.own_neighbours.reduce((sum, other) => {
    const now = overlap(0, given.run_s, other.start_s, other.end_s);
    const then = overlap(laterS, laterS + given.run_s, other.start_s, other.end_s);
    return sum + (now > 0 ? other.seconds.value * (then / now - 1) : 0);
  }, given.lost.value);
  return Math.max(own, 0);
}

/** Says what a job would lose if it was moved. */
export function whatIf(given: Recommendations, laterS: number): string {
  if (!laterS) return `As it ran, others cost it ${seconds(given.lost.value)}.`;
  const word = laterS > 0 ? 'later' : 'earlier';
  return `Started ${seconds(Math.abs(laterS))} ${word}, it would lose ${seconds(lostAt(given, laterS))} in place of ${seconds(given.lost.value)}.`;
}
