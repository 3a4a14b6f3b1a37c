// What the server tells of the whole system.
import type { MountLoads, Span } from './api-types';
import { ask, askBytes, type Query } from './request';
import type { GridJob, GridRow } from '../pages/system/grid-layout';

export type { Layer, MountLoad, MountLoads, Span as Covered } from './api-types';
export interface SystemGrid {
  unit: string; table: string; start_ns: number; step_ns: number; columns: number; together: number; all: boolean;
  rows: GridRow[]; jobs: GridJob[]; values: Float32Array;
}

export const covered = (signal: AbortSignal) => ask<Span>('system/span', {}, signal);
export const mountLoads = (query: Query, signal: AbortSignal) => ask<MountLoads>('system/mounts', query, signal);

/** Numbers behind a header, as the grids of the API are. */
export async function systemGrid(query: Query, signal: AbortSignal): Promise<SystemGrid> {
  const body = await askBytes('system/grid', query, signal);
  const length = new DataView(body).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(body, 4, length))) as Omit<SystemGrid, 'values'>;
  return { ...header, values: new Float32Array(body, 4 + length) };
}

/** The command that writes what a grid is made of: a table's rows of a metric and a span (s). */
export function commandOf(table: string, metric: string, [from, to]: readonly [number, number]): string {
  const at = (s: number, round: (value: number) => number) => new Date(round(s) * 1000).toISOString().slice(0, 19) + 'Z';
  return `jostle export ${table} --metric ${metric} --from ${at(from, Math.floor)} --to ${at(to, Math.ceil)} --format csv`;
}
