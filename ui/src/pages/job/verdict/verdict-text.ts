// A verdict in words, and the spans in which it happened; pure.
import type { Blamed, GuiltySlice, Head, Verdict } from '../../../api/api-types';
import { clock, count, points, seconds } from '../../../format/format';

/** What stands for jobs whose names the viewer may not know (analysis/identification). */
export const OTHER_USERS_JOBS = "other users' jobs";

export interface LossSpan { from: number; to: number; seconds: number; slices: number }

/** Joins guilty slices that touch (or nearly so) into spans. */
export function joinSlices(guilty: readonly GuiltySlice[]): LossSpan[] {
  const spans: LossSpan[] = [];
  for (const slice of [...guilty].sort((a, b) => a.start_ns - b.start_ns)) {
    const last = spans.at(-1);
    const end = slice.start_ns + slice.length_ns;
    // Two resources may be guilty in the same slice.
    if (last && slice.start_ns <= last.to + 1000) {
      if (end > last.to + 1000) last.slices += 1;
      last.to = Math.max(last.to, end);
      last.seconds += slice.seconds;
    } else spans.push({ from: slice.start_ns, to: end, seconds: slice.seconds, slices: 1 });
  }
  return spans;
}

/** Returns whether nothing disturbed the run: it is green, and the verdict names no cause.

    Which loss is too small to name a cause for is decided by the verdict alone (report/verdict/verdict.py). */
export const isUndisturbed = ({ light, cause }: Pick<Head, 'light' | 'cause'>): boolean => light === 'green' && cause === null;

/** Returns the words for a light; green leaves room for a little. */
export function lightWords(head: Pick<Head, 'light' | 'cause'>): string {
  if (head.light === null) return 'Undecided';
  if (head.light === 'green') return isUndisturbed(head) ? 'Undisturbed' : 'Hardly disturbed';
  return head.light === 'yellow' ? 'Somewhat disturbed' : 'Disturbed';
}

/** Guilty slices as bands; the more of a slice was lost, the stronger. */
export function lossBands(guilty: readonly GuiltySlice[]): { from: number; to: number; weight: number }[] {
  const most = Math.max(...guilty.map((slice) => slice.seconds / slice.length_ns), 0);
  return guilty.map((slice) => ({
    from: slice.start_ns / 1e9,
    to: (slice.start_ns + slice.length_ns) / 1e9,
    weight: Math.max(0.12, slice.seconds / slice.length_ns / most),
  }));
}

/** Where time was lost: slices in which suspects did it, and spans that the run tells by itself. */
export function lossSlices(verdict: Verdict): GuiltySlice[] {
  const guilty = verdict.interference?.guilty ?? [];
  const rest = verdict.estimate.hits.map((hit) => ({
    start_ns: hit.start_ns, length_ns: hit.end_ns - hit.start_ns, resource: hit.resource, seconds: hit.seconds, suspect: '',
  }));
  if (!guilty.length) return rest;
  const slow = joinSlices(guilty);
  const free = (at: number) => !slow.some((span) => span.from <= at && at < span.to);
  return [...guilty, ...rest.filter((slice) => free(slice.start_ns + slice.length_ns / 2))].sort((a, b) => a.start_ns - b.start_ns);
}

/** What is said of the rest of a loss (report/verdict/blame.py). */
export const UNEXPLAINED = 'explained by no profiled job';
/** Less of the loss is not worth a word. */
const LEAST_SHARE = 0.05;
export const leavesUnexplained = (verdict: Verdict) => verdict.blame.unexplained_share >= LEAST_SHARE;

/** In how many slices suspects did it, of how many that lost time; '' where nobody is suspected. */
export function describeSuspectSlices(verdict: Verdict): string {
  const { suspect_slices: slow, lost_slices: lost } = verdict.blame;
  if (!verdict.blame.suspects.length) return '';
  return lost > slow ? `suspects in ${slow.toLocaleString('en')} of ${lost.toLocaleString('en')} slices that lost time` : `in ${count(slow, 'slice')}`;
}

/** The metric that shows the cause. */
export function metricOfCause(verdict: Verdict): string {
  const { cause } = verdict.head;
  return cause === 'network' || cause === 'memory or cpu' ? 'mpi' : cause === 'cpu' ? 'cpu' : 'bytes';
}

export function headline(verdict: Verdict): string {
  const { head } = verdict;
  if (!head.light) return 'Whether this run was disturbed is undecided';
  if (isUndisturbed(head)) return ranAlone(verdict) ? 'This run had the machine to itself' : 'Nobody disturbed this run';
  const [lost, run] = [seconds(head.lost_s.value), seconds(head.run_s)];
  if (!verdict.blame.suspects.length) return `This run lost ${lost} of its ${run}`;
  if (!leavesUnexplained(verdict)) return `Others cost this run ${lost} of ${run}`;
  return `This run lost ${lost} of its ${run}: ${seconds(verdict.blame.explained_s.value)} to others that were profiled`;
}

/** Who did it, where no job is suspected: what was not profiled has no name. */
export function byWhom(verdict: Verdict): string {
  const { head } = verdict;
  if (!head.light && head.lost_s.value <= 0) return 'not known';
  if (head.lost_s.value <= 0 || isUndisturbed(head)) return 'nobody';
  if (verdict.interference?.blind) return 'cannot be told';
  return ranAlone(verdict) ? 'none that was profiled' : 'no profiled job';
}

/** Whether nobody ran beside it, as far as is known. */
export const ranAlone = (verdict: Verdict) => !verdict.interference || verdict.interference.neighbours === 0;

export function percentInterval(verdict: Verdict): string {
  const { low, high } = verdict.head.percent;
  return `${points(low)} to ${points(high)} %`;
}

/** So many spans are told by their number alone. */
const MANY = 40;

export function describeSpans(spans: readonly LossSpan[], most = 2): string {
  const [first, last] = [spans[0], spans.at(-1)];
  if (first && last && spans.length > MANY) {
    return `${spans.length.toLocaleString('en')} times in ${seconds((last.to - first.from) / 1e9)}`;
  }
  const shown = [...spans].sort((a, b) => b.seconds - a.seconds).slice(0, most).sort((a, b) => a.from - b.from);
  const text = shown.map((span) => {
    const [from, to] = [clock(span.from), clock(span.to)];
    return `${from} – ${from.slice(0, 6) === to.slice(0, 6) ? to.slice(6) : to}`;
  }).join(', ');
  return spans.length > most ? `${text} and ${spans.length - most} more` : text;
}

const MOST_SUSPECTS = 5;

/** Who may have taken the time, the worst first. */
export const topSuspects = (verdict: Verdict): Blamed[] => verdict.blame.suspects.slice(0, MOST_SUSPECTS);
/** Whether a suspect has a name that the viewer may know. */
export const isNamed = (suspect: Blamed) => suspect.job !== OTHER_USERS_JOBS;
