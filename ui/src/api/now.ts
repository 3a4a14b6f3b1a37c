// What running jobs lose at this moment.
import type { NowAnswer } from './api-types';
import { getJson } from './request';

/** The running jobs, or one of them. */
export const getNow = (job: string | null, signal?: AbortSignal) => getJson<NowAnswer>('now', { job }, signal);
