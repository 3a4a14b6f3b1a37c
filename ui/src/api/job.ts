// What a job's page asks for, besides what all pages know.
import { ask, type Verdict } from './jobs';
import type { Figures, Judging, Metrics } from './api-types';

export type { Figure, Figures, Judging, MetricName as Metric, Metrics, Quartiles } from './api-types';
export type Answer = Verdict | Judging;
export const judged = (answer: Answer): answer is Verdict => 'estimate' in answer;

const named = (job: string) => `jobs/${encodeURIComponent(job)}`;
export const verdict = (job: string, signal?: AbortSignal) => ask<Answer>(`${named(job)}/verdict`, { drawn: 'true' }, signal);
export const figures = (job: string, signal?: AbortSignal) => ask<Figures>(`${named(job)}/figures`, {}, signal);
let known: Promise<Metrics> | undefined;
/** All metrics; they are the same for every job. */
export const metrics = () => (known ??= ask<Metrics>('metrics', {}).catch((error: unknown) => { known = undefined; throw error; }));
