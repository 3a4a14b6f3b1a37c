// The matrix as the server tells it: what takes long is made while the page waits.
import type { EvidenceReport, MatrixReport } from './api-types';
import { ask, type Query } from './request';
import type { Kind } from '../pages/matrix/encounters';

export type { EvidenceRun as Run, EvidenceReport as Evidence } from './api-types';
interface Making { state: 'making' }

const AGAIN_MS = 1000;
const rest = (ms: number, signal: AbortSignal) => new Promise<void>((done, stop) => {
  const timer = setTimeout(done, ms);
  signal.addEventListener('abort', () => { clearTimeout(timer); stop(signal.reason as Error); }, { once: true });
});

export async function whenMade<T extends object>(path: string, query: Query, signal: AbortSignal, waits: () => void): Promise<T> {
  for (;;) {
    const found = await ask<T | Making>(path, query, signal);
    if (!('state' in found)) return found;
    waits();
    await rest(AGAIN_MS, signal);
  }
}

export const matrix = (signal: AbortSignal, waits: () => void) => whenMade<MatrixReport>('matrix', {}, signal, waits);
export const evidence = (victim: string, aggressor: string, kind: Kind, signal: AbortSignal) =>
  whenMade<EvidenceReport>('matrix/evidence', { victim, aggressor, kind }, signal, () => undefined);
