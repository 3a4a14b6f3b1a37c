// Requests for advice: on a job, and on the whole site.
import type { Recommendations, SiteAdviceReport } from './api-types';
import { getWhenReady } from './request';

export const getAdvice = (job: string, signal: AbortSignal) => getWhenReady<Recommendations>(`jobs/${encodeURIComponent(job)}/advice`, {}, signal, () => undefined);
export const getSiteAdvice = (days: number, signal: AbortSignal) => getWhenReady<SiteAdviceReport>('advice', { days }, signal, () => undefined);
