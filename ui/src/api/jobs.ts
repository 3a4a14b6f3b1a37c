// What the server answers; its types are made from its own description of itself (api-types.ts).
import type {
  Blamed, Brief, CauseLoss, DigestReport, EstimateReport, Facets, GuiltySlice, Head, Hit, InterferenceReport, Interval, JobRow, Jobs, Line,
  Phase, ResourceLoss, Series, Spread, Suspect, Verdict,
} from './api-types';
import { ask, askBytes, type Query } from './request';

export { Refused, ask, dropped } from './request';
export type {
  Blamed, Brief, CauseLoss as Cause, DigestReport as Digest, EstimateReport as Estimate, Facets, GuiltySlice as Guilty, Head, Hit,
  InterferenceReport as Interference, Interval as Bounded, JobRow, Jobs, Line, Phase, ResourceLoss, Series, Spread, Suspect,
  Verdict,
};
export type Light = NonNullable<Brief['light']>;

const named = (job: string) => `jobs/${encodeURIComponent(job)}`;
export const jobs = (query: Query, signal?: AbortSignal) => ask<Jobs>('jobs', query, signal);
export const verdict = (job: string) => ask<Verdict>(`${named(job)}/verdict`, {});
export const series = (job: string, query: Query, signal?: AbortSignal) =>
  ask<Series>(`${named(job)}/series`, query, signal);

/** A row of a process grid; rank -1: it is none. */
export interface GridRow { rank: number; name: string; host: string }
export interface Grid { unit: string; start_ns: number; step_ns: number; columns: number; rows: GridRow[]; values: Float32Array }

/** A picture of numbers: a header in JSON, then rows × columns float32. */
export function unpackGrid(body: ArrayBuffer): Grid {
  const length = new DataView(body).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(body, 4, length))) as Omit<Grid, 'values'>;
  return { ...header, values: new Float32Array(body, 4 + length) };
}

export const grid = (job: string, query: Query, signal?: AbortSignal) => askGrid(`${named(job)}/grid`, query, signal);

export async function askGrid(path: string, query: Query, signal?: AbortSignal): Promise<Grid> {
  return unpackGrid(await askBytes(path, query, signal));
}

export const digest = (job: string) => ask<DigestReport>(named(job), {});
