// Jobs: the list of them, and of one its verdict, series, grid of processes, segments, figures and digest.
import type { Brief, DigestReport, Figures, Jobs, Judging, Metrics, Segments, Series, Verdict } from './api-types';
import { ask, askGrid, type Query } from './request';

export type Light = NonNullable<Brief['light']>;
/** A verdict, or how far it has got. */
export type Answer = Verdict | Judging;
export const judged = (answer: Answer): answer is Verdict => 'estimate' in answer;

const named = (job: string) => `jobs/${encodeURIComponent(job)}`;
export const jobs = (query: Query, signal?: AbortSignal) => ask<Jobs>('jobs', query, signal);
export const verdict = (job: string, signal?: AbortSignal) => ask<Answer>(`${named(job)}/verdict`, { drawn: 'true' }, signal);
export const series = (job: string, query: Query, signal?: AbortSignal) =>
  ask<Series>(`${named(job)}/series`, query, signal);
export const segments = (job: string, query: { cluster: number | null; from_ns?: number; to_ns?: number; points: number }, signal?: AbortSignal) =>
  ask<Segments>(`${named(job)}/segments`, query, signal);
export const figures = (job: string, signal?: AbortSignal) => ask<Figures>(`${named(job)}/figures`, {}, signal);
export const digest = (job: string) => ask<DigestReport>(named(job), {});

let known: Promise<Metrics> | undefined;
/** All metrics; they are the same for every job. */
export const metrics = () => (known ??= ask<Metrics>('metrics', {}).catch((error: unknown) => { known = undefined; throw error; }));

/** A row of a process grid; rank -1: it is none. */
export interface GridRow { rank: number; name: string; host: string }
export interface Grid { unit: string; start_ns: number; step_ns: number; columns: number; rows: GridRow[]; values: Float32Array }

export const grid = (job: string, query: Query, signal?: AbortSignal) => askGrid<Grid>(`${named(job)}/grid`, query, signal);
