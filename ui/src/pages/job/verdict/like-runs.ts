// Sentences about an imported job that is compared with similar runs as a whole.
import type { LikeRunsReport, MetJob, SlownessOnResource } from '../../../api/api-types';
import { count, points } from '../../../format/format';

/** The resource; metadata servers are compared separately. */
export const placeOf = (each: Pick<MetJob | SlownessOnResource, 'resource' | 'resource_kind'>): string =>
  each.resource + (each.resource_kind === 'metadata server' ? ', metadata' : '');

/** Three digits at most. */
const times = (factor: number): string => (factor >= 100 ? factor.toFixed(0) : factor >= 10 ? factor.toFixed(1) : factor.toFixed(2));

export function likeHeadline(report: LikeRunsReport): string {
  const first = report.resources[0];
  if (!first) return 'It is unknown how long its calls took.';
  if (!first.like_runs) return `No other run of ${report.program} is similar to it, so it cannot be compared.`;
  const slow = first.factor > 1 ? `It was ${times(first.factor)} times as slow as similar runs` : 'It was not slower than similar runs';
  if (!report.met.length) return `${slow}, and no other job ran at the same time.`;
  const sure = report.met.filter((each) => each.strength === 'evidence').sort((a, b) => (b.slowdown?.value ?? 0) - (a.slowdown?.value ?? 0))[0];
  if (!sure) return `${slow}; no program that ran at the same time is known to slow ${report.program}.`;
  const by = sure.slowdown ? ` by ${points(100 * sure.slowdown.value)} %` : '';
  return `${slow}; ${sure.program}, which ran at the same time, slows runs of ${report.program}${by}.`;
}

export function likeLine(each: SlownessOnResource, program: string): string {
  if (!each.like_runs) return `${placeOf(each)}: no similar run of ${program} used it.`;
  return `${placeOf(each)}: its calls took ${times(each.factor)} times as long as those of similar runs (the median of ${count(each.like_runs, 'other run')} of ${program}); ${each.slower_than} of them were faster.`;
}

/** How strong the evidence is, with q of the test. */
export function evidenceWords(each: Pick<MetJob, 'strength' | 'q'>): string {
  if (each.strength === 'too few runs' || each.q === null) return each.strength;
  return `${each.strength} (q ${each.q < 0.001 ? '< 0.001' : `= ${each.q.toFixed(3)}`})`;
}
