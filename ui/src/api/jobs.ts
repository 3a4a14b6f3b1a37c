// Requests for jobs: the list, the sum of their losses, and the verdict, series, process grid, segments, figures and digest of a job.
import type { BatchJob, Brief, JobDigest, Figures, JobGpus, Jobs, Assessment, LikeRunsReport, Losses, Metrics, PlacementReport, Segments, Series, Trend, Verdict } from './api-types';
import { getJson, getGrid, type Query } from './request';

export type Light = NonNullable<Brief['light']>;
/** A verdict, or the progress of its estimation. */
export type Answer = Verdict | Assessment;
export const isVerdict = (answer: Answer): answer is Verdict => 'estimate' in answer;

const jobPath = (job: string) => `jobs/${encodeURIComponent(job)}`;
/** What a batch job lost as a whole. */
export const getBatchJob = (name: string, signal?: AbortSignal) => getJson<BatchJob>(`batch-jobs/${encodeURIComponent(name)}`, {}, signal);
export const getJobs = (query: Query, signal?: AbortSignal) => getJson<Jobs>('jobs', query, signal);
/** What jobs lost that began after an instant. */
export const getLosses = (from_ns: number, signal?: AbortSignal) => getJson<Losses>('losses', { from_ns }, signal);
export const getVerdict = (job: string, signal?: AbortSignal) => getJson<Answer>(`${jobPath(job)}/verdict`, { drawn: 'true' }, signal);
export const getSeries = (job: string, query: Query, signal?: AbortSignal) =>
  getJson<Series>(`${jobPath(job)}/series`, query, signal);
export const getGpus = (job: string, query: Query, signal?: AbortSignal) => getJson<JobGpus>(`${jobPath(job)}/gpus`, query, signal);
export const getSegments = (job: string, query: { cluster: number | null; from_ns?: number; to_ns?: number; points: number }, signal?: AbortSignal) =>
  getJson<Segments>(`${jobPath(job)}/segments`, query, signal);
export const getFigures = (job: string, signal?: AbortSignal) => getJson<Figures>(`${jobPath(job)}/figures`, {}, signal);
export const getTrend = (job: string, signal?: AbortSignal) => getJson<Trend>(`${jobPath(job)}/trend`, {}, signal);
/** How slow an imported job was compared with similar runs, and which jobs ran at the same time. */
export const getLikeRuns = (job: string, signal?: AbortSignal) => getJson<LikeRunsReport>(`${jobPath(job)}/like-runs`, {}, signal);
/** The address of a job as a file for Perfetto. */
export const perfettoAddress = (job: string) => `/api/v1/${jobPath(job)}/perfetto`;
export const getDigest = (job: string) => getJson<JobDigest>(jobPath(job), {});

let known: Promise<Metrics> | undefined;
/** All metrics. They are the same for every job, so they are requested once. */
export const getMetrics = () => (known ??= getJson<Metrics>('metrics', {}).catch((error: unknown) => { known = undefined; throw error; }));

/** A row of a process grid; rank -1: not an MPI rank. */
export interface GridRow { rank: number; name: string; host: string }
export interface Grid { unit: string; start_ns: number; step_ns: number; columns: number; rows: GridRow[]; values: Float32Array }

export const getProcessGrid = (job: string, query: Query, signal?: AbortSignal) => getGrid<Grid>(`${jobPath(job)}/grid`, query, signal);

export const getPlacement = (job: string, signal?: AbortSignal) => getJson<PlacementReport>(`${jobPath(job)}/placement`, {}, signal);

/** Ranks that share a cell of a communication matrix. */
export interface RankLabel { rank: number; last: number; many: number; host: string; switch: string }
export interface RankPair { source: number; target: number; source_host: string; target_host: string; bytes: number; messages: number; hops: number | null; modelled: number }
/** A window of ranks × ranks, a row for each sender; NaN: nothing was sent. */
export interface Communication {
  ranks: number; begin: number; end: number; each: number; cells: number; unit: 'bytes' | 'messages' | 'hops';
  labels: RankLabel[]; pairs: RankPair[]; bytes: number; messages: number; modelled: number; /** Bytes of all-to-all calls that are even over too many pairs. */ left_out: number; has_hops: boolean; has_switches: boolean;
  values: Float32Array;
}
export const getCommunication = (job: string, query: Query, signal?: AbortSignal) => getGrid<Communication>(`${jobPath(job)}/communication`, query, signal);
