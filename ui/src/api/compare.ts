// Requests for the comparison of runs.
import type { Compared } from './api-types';
import { getJson } from './request';

export const getComparison = (jobs: readonly string[], signal?: AbortSignal) => getJson<Compared>('compare', { job: jobs }, signal);
