// Runs side by side.
import type { Compared } from './api-types';
import { ask } from './request';

export const compare = (jobs: readonly string[], signal?: AbortSignal) => ask<Compared>('compare', { job: jobs }, signal);
