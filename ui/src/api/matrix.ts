// Requests for the matrix of programs, and for the runs behind one of its cells.
import type { Encounter, EvidenceReport, MatrixReport } from './api-types';
import { getWhenReady } from './request';

export const getMatrix = (signal: AbortSignal, waits: () => void) => getWhenReady<MatrixReport>('matrix', {}, signal, waits);
export const getEvidence = (victim: string, aggressor: string, kind: Encounter['resource_kind'], signal: AbortSignal) =>
  getWhenReady<EvidenceReport>('matrix/evidence', { victim, aggressor, kind }, signal, () => undefined);
