// The span of time that the page of losses is about, and its headline.
import type { Losses } from '../../api/api-types';
import { coreHours, count, points, seconds } from '../../format/format';

export const SPANS = { week: '7 days', month: '30 days', all: 'all time' } as const;
export type LossSpan = keyof typeof SPANS;
const DAYS: Record<LossSpan, number> = { week: 7, month: 30, all: 0 };
const DAY_MS = 86_400_000;

export const readSpan = (value: string | null): LossSpan => (value !== null && Object.hasOwn(SPANS, value) ? value as LossSpan : 'month');

/** Returns the start of a span, in ns since the epoch, at the beginning of an hour so that answers can be cached. */
export function startOf(span: LossSpan, nowMs: number): number {
  if (!DAYS[span]) return 0;
  const hour = 3_600_000;
  return Math.floor((nowMs - DAYS[span] * DAY_MS) / hour) * hour * 1e6;
}

/** Returns the days of a span, as advice is asked for. */
export const daysOf = (span: LossSpan): number => DAYS[span] || 366;

/** Says what all jobs lost that have a verdict. */
export function headline({ total, waiting }: Losses): string {
  if (!total.jobs) return 'No verdict yet';
  if (total.lost_s <= 0) return `${count(total.jobs, 'job')} lost nothing`;
  const share = (100 * total.lost_s) / Math.max(total.run_s, 1e-9);
  return `${count(total.jobs, 'job')} lost ${seconds(total.lost_s)} of ${seconds(total.run_s)}, ${points(share)} %: ${coreHours(total.core_hours)}${waiting ? ', so far' : ''}`;
}
