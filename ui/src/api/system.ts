// Requests for the whole system: the time that the repository covers, nodes by time, load on mounts.
import type { MachineLanes, MountLoads, NodeGpus, NodesReport, Span } from './api-types';
import { getJson, getGrid, getWhenReady, type Query } from './request';

/** A row of the grid: a lane of the lanes of a node, or the first and the last of several nodes. */
export interface GridRow { host: string; last: string | null; lane: number; lanes: number }
/** A job of the grid: the rows of its nodes, as first and last of each contiguous range. */
export interface GridJob { job: string; rows: [number, number][]; start_ns: number; end_ns: number }
export interface SystemGrid {
  unit: string; table: string; start_ns: number; step_ns: number; columns: number; together: number; all: boolean;
  rows: GridRow[]; jobs: GridJob[]; values: Float32Array;
}

export const getCoveredSpan = (signal: AbortSignal) => getJson<Span>('system/span', {}, signal);
export const getMountLoads = (query: Query, signal: AbortSignal) => getJson<MountLoads>('system/mounts', query, signal);
export const getSystemGrid = (query: Query, signal: AbortSignal) => getGrid<SystemGrid>('system/grid', query, signal);
export const getMachineLanes = (query: Query, signal: AbortSignal) => getJson<MachineLanes>('system/machines', query, signal);
export const getNodes = (signal: AbortSignal, waits: () => void) => getWhenReady<NodesReport>('nodes', {}, signal, waits);
export const getNodeGpus = (host: string, query: Query, signal: AbortSignal) => getJson<NodeGpus>(`nodes/${encodeURIComponent(host)}/gpus`, query, signal);
