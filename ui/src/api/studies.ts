// Requests for the list of studies, and for one or two studies.
import type { Studies, StudyPage } from './api-types';
import { getJson, getWhenReady } from './request';

export const getStudies = (signal: AbortSignal) => getJson<Studies>('studies', {}, signal);
export const getStudy = (name: string, other: string, signal: AbortSignal, waits: () => void) =>
  getWhenReady<StudyPage>(`studies/${encodeURIComponent(name)}`, { with: other || null }, signal, waits);
