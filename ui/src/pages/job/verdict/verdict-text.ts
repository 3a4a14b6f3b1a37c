// The sentences of a verdict, and the spans in which time was lost. Pure.
import type { AttributedSuspect, DisturbedSlice, VerdictHead, Verdict } from '../../../api/api-types';
import { clock, count, points, seconds } from '../../../format/format';

/** Stands for jobs whose names the viewer may not see (analysis/identification). */
export const OTHER_USERS_JOBS = "other users' jobs";

export interface LossSpan { from: number; to: number; seconds: number; slices: number }

/** Joins disturbed slices that touch (within 1 µs) into spans. */
export function joinSlices(disturbed: readonly DisturbedSlice[]): LossSpan[] {
  const spans: LossSpan[] = [];
  for (const slice of [...disturbed].sort((a, b) => a.start_ns - b.start_ns)) {
    const last = spans.at(-1);
    const end = slice.start_ns + slice.length_ns;
    // Two resources may be disturbed in the same slice.
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
export const isUndisturbed = ({ light, cause }: Pick<VerdictHead, 'light' | 'cause'>): boolean => light === 'green' && cause === null;

/** Returns the words for a light. */
export function lightWords(head: Pick<VerdictHead, 'light' | 'cause'>): string {
  if (head.light === null) return 'Undecided';
  if (head.light === 'green') return isUndisturbed(head) ? 'Undisturbed' : 'Hardly disturbed';
  return head.light === 'yellow' ? 'Somewhat disturbed' : 'Disturbed';
}

/** Returns disturbed slices as bands; their weight grows with the part of the slice that was lost. */
export function lossBands(disturbed: readonly DisturbedSlice[]): { from: number; to: number; weight: number }[] {
  const most = Math.max(...disturbed.map((slice) => slice.seconds / slice.length_ns), 0);
  return disturbed.map((slice) => ({
    from: slice.start_ns / 1e9,
    to: (slice.start_ns + slice.length_ns) / 1e9,
    weight: Math.max(0.12, slice.seconds / slice.length_ns / most),
  }));
}

/** Returns where time was lost: slices attributed to suspects, and losses seen in the run itself. */
export function lossSlices(verdict: Verdict): DisturbedSlice[] {
  const disturbed = verdict.interference?.disturbed ?? [];
  const rest = verdict.estimate.hits.map((hit) => ({
    start_ns: hit.start_ns, length_ns: hit.end_ns - hit.start_ns, resource: hit.resource, seconds: hit.seconds, suspect: '',
  }));
  if (!disturbed.length) return rest;
  const slow = joinSlices(disturbed);
  const free = (at: number) => !slow.some((span) => span.from <= at && at < span.to);
  return [...disturbed, ...rest.filter((slice) => free(slice.start_ns + slice.length_ns / 2))].sort((a, b) => a.start_ns - b.start_ns);
}

/** The words for the rest of a loss (report/verdict/attribution.py). */
export const UNEXPLAINED = 'explained by no profiled job';
/** A smaller share of the loss is not mentioned. */
const LEAST_SHARE = 0.05;
export const leavesUnexplained = (verdict: Verdict) => verdict.attribution.unexplained_share >= LEAST_SHARE;

/** Returns in how many of the slices that lost time suspects were the cause; '' without suspects. */
export function describeSuspectSlices(verdict: Verdict): string {
  const { suspect_slices: slow, lost_slices: lost } = verdict.attribution;
  if (!verdict.attribution.suspects.length) return '';
  return lost > slow ? `suspects in ${slow.toLocaleString('en')} of ${lost.toLocaleString('en')} slices that lost time` : `in ${count(slow, 'slice')}`;
}

/** Returns the metric that shows the cause. */
export function metricOfCause(verdict: Verdict): string {
  const { cause } = verdict.head;
  return cause === 'network' || cause === 'memory or cpu' ? 'communication' : cause === 'cpu' || cause === 'memory' ? 'cpu' : 'bytes';
}

export function headline(verdict: Verdict): string {
  const { head } = verdict;
  if (!head.light) return 'Whether this run was disturbed is undecided';
  if (isUndisturbed(head)) return ranAlone(verdict) ? 'This run had the machine to itself' : 'Nobody disturbed this run';
  const [lost, run] = [seconds(head.lost_s.value), seconds(head.run_s)];
  if (!verdict.attribution.suspects.length) return `This run lost ${lost} of its ${run}`;
  const whom = toWhom(verdict);
  if (!leavesUnexplained(verdict)) return whom === PROFILED ? `Others cost this run ${lost} of ${run}` : `This run lost ${lost} of its ${run} ${whom}`;
  return `This run lost ${lost} of its ${run}: ${seconds(verdict.attribution.explained_s.value)} ${whom}`;
}

const PROFILED = 'to others that were profiled';
/** Returns to whom a loss went, by the kinds of its suspects (report/verdict/attribution.py). */
export function toWhom(verdict: Verdict): string {
  const kinds = new Set(verdict.attribution.suspects.map((suspect) => suspect.kind ?? 'job'));
  if (kinds.size > 1) return 'to others';
  return kinds.has('server') ? 'to a slow server, not to a neighbour' : kinds.has('unprofiled') ? 'to load without a profile' : PROFILED;
}

/** Returns the answer to "by whom" if no job is suspected. Jobs that were not profiled have no name. */
export function byWhom(verdict: Verdict): string {
  const { head } = verdict;
  if (!head.light && head.lost_s.value <= 0) return 'not known';
  if (head.lost_s.value <= 0 || isUndisturbed(head)) return 'nobody';
  if (verdict.interference?.blind) return 'cannot be determined';
  return ranAlone(verdict) ? 'none that was profiled' : 'no profiled job';
}

/** Whether no other profiled job ran alongside it. */
export const ranAlone = (verdict: Verdict) => !verdict.interference || verdict.interference.neighbours === 0;

/** Who ran alongside it: `2 other jobs and other users' jobs`; the number of the latter is not disclosed. */
export function othersAlongside({ neighbours, unnamed }: { neighbours: number; unnamed?: boolean | undefined }): string {
  const named = neighbours - (unnamed ? 1 : 0);
  return [named > 0 ? count(named, 'other job') : '', unnamed ? OTHER_USERS_JOBS : ''].filter(Boolean).join(' and ') || 'no other job';
}

export function percentInterval(verdict: Verdict): string {
  const { low, high } = verdict.head.percent;
  return `${points(low)} to ${points(high)} %`;
}

/** More spans than this are only counted, not listed. */
const MANY = 40;

export function describeSpans(spans: readonly LossSpan[], most = 2): string {
  const [first, last] = [spans[0], spans.at(-1)];
  if (first && last && spans.length > MANY) {
    return `${spans.length.toLocaleString('en')} times in ${seconds((last.to - first.from) / 1e9)}`;
  }
  const shown = [...spans].sort((a, b) => b.seconds - a.seconds).slice(0, most).sort((a, b) => a.from - b.from);
  const text = shown.map((span) => {
    const [from, to] = [clock(span.from), clock(span.to)];
    if (from === to) return from;
    return `${from} – ${from.slice(0, 6) === to.slice(0, 6) ? to.slice(6) : to}`;
  }).join(', ');
  return spans.length > most ? `${text} and ${spans.length - most} more` : text;
}

const MOST_SUSPECTS = 5;

/** Returns the suspects with the largest shares, largest first. */
export const topSuspects = (verdict: Verdict): AttributedSuspect[] => verdict.attribution.suspects.slice(0, MOST_SUSPECTS);
/** Names a suspect: a slow server is no neighbour (report/verdict/attribution.py). */
export const suspectName = (suspect: AttributedSuspect) => (suspect.kind === 'server' ? `slow ${suspect.job}` : suspect.job);
/** Whether a suspect is a job whose page the viewer may open. */
export const isNamed = (suspect: AttributedSuspect) => suspect.job !== OTHER_USERS_JOBS && (suspect.kind ?? 'job') === 'job';
