// Requests for fabrics: their shape, what their links carry, and who is on one of them.
import type { FabricOverview, Fabrics, OnLink, Placed, Shape } from './api-types';
import { getBytes, getJson, type Query } from './request';

/** The loads of all links in some steps; arrays are steps × links, step by step. */
export interface LoadBlock {
  start_ns: number; step_ns: number; first: number; steps: number; links: number; low_high: boolean;
  /** The links whose ports count. */
  measured: number[];
  /** Bytes/s; `high`: the most that adaptive routing can have put there. */
  load: Float32Array; high: Float32Array | null;
  /** The share of the time that data waited, NaN: not known; null: no port counts it. */
  waiting: Float32Array | null;
  /** The place of the busiest job in the overview. */
  job: Uint16Array;
}
/** What zones sent to one another in some steps: steps × from × to. */
export interface ZoneBlock {
  start_ns: number; step_ns: number; first: number; steps: number; modelled: number;
  zones: { name: string; vertices: number[] }[];
  load: Float32Array; job: Uint16Array;
}

const path = (name: string, what: string) => `fabric/${encodeURIComponent(name)}/${what}`;
export const getFabrics = (signal: AbortSignal) => getJson<Fabrics>('fabric', {}, signal);
export const getShape = (name: string, at_ns: number, signal: AbortSignal) => getJson<Shape>(path(name, 'shape'), { at_ns }, signal);
export const getOverview = (name: string, query: Query, signal: AbortSignal) => getJson<FabricOverview>(path(name, 'overview'), query, signal);
export const getPlacement = (name: string, query: Query, signal: AbortSignal) => getJson<Placed>(path(name, 'placement'), query, signal);
export const getOnLink = (name: string, query: Query, signal: AbortSignal) => getJson<OnLink>(path(name, 'link'), query, signal);

/** Reads the header of a binary answer, and where its numbers begin. */
function header<Head>(body: ArrayBuffer): [Head, number] {
  const length = new DataView(body).getUint32(0, true);
  return [JSON.parse(new TextDecoder().decode(new Uint8Array(body, 4, length))) as Head, 4 + length];
}

export async function getLoadBlock(name: string, query: Query, signal: AbortSignal): Promise<LoadBlock> {
  const body = await getBytes(path(name, 'loads'), query, signal);
  const [head, begin] = header<Omit<LoadBlock, 'load' | 'high' | 'waiting' | 'job'> & { waiting: boolean }>(body);
  const size = head.steps * head.links;
  let at = begin;
  const numbers = (is: boolean) => { if (!is) return null; const part = new Float32Array(body, at, size); at += 4 * size; return part; };
  const [load, high, waiting] = [numbers(true) ?? new Float32Array(size), numbers(head.low_high), numbers(head.waiting)];
  return { ...head, load, high, waiting, job: new Uint16Array(body, at, size) };
}

export async function getZoneBlock(name: string, query: Query, signal: AbortSignal): Promise<ZoneBlock> {
  const body = await getBytes(path(name, 'zones'), query, signal);
  const [head, begin] = header<Omit<ZoneBlock, 'load' | 'job'>>(body);
  const size = head.steps * head.zones.length ** 2;
  return { ...head, load: new Float32Array(body, begin, size), job: new Uint16Array(body, begin + 4 * size, size) };
}
