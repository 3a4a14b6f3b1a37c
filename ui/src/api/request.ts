// How the server is asked: errors as it tells them, and patience while it is away.
import type { Problem } from './api-types';
import { connection } from './connection.svelte';
import { beginWork, endWork } from './pending';

export type Query = Record<string, string | number | readonly string[] | null | undefined>;

/** The server said no, and why. */
export class RequestError extends Error {
  /** @param waitS - So long it is of no use to ask again. */
  constructor(readonly status: number, message: string, readonly mend: string | null, readonly detail: string | null = null, readonly waitS = 0) { super(message); }
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8000;

/** A query's words; lists are repeated, null and undefined left out. */
export function queryString(query: Query): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === null || value === undefined) continue;
    for (const item of Array.isArray(value) ? (value as string[]) : [value]) params.append(name, String(item));
  }
  const text = params.toString();
  return text ? `?${text}` : '';
}

function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((done, stop) => {
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', () => { clearTimeout(timer); stop(signal.reason as Error); }, { once: true });
  });
}

/** Asks until there is an answer: a server that is away for a moment is no error of a page. */
async function fetchWithRetry(url: string, signal?: AbortSignal): Promise<Response> {
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
    beginWork();
    try {
      const answer = await fetch(url, { signal: signal ?? null });
      connection.lost = false;
      return answer;
    } catch (error) {
      if (signal?.aborted) throw error;
      connection.lost = true;
    } finally {
      endWork();
    }
    await pause(wait, signal);
  }
}

async function send(path: string, query: Query, signal?: AbortSignal): Promise<Response> {
  const answer = await fetchWithRetry(`/api/v1/${path}${queryString(query)}`, signal);
  if (answer.ok) { connection.wasLoggedIn ||= path === 'me'; return answer; }
  if (answer.status === 401) connection.loggedOut = true;
  const problem = (await answer.json().catch(() => ({}))) as Partial<Problem>;
  throw new RequestError(answer.status, problem.title ?? answer.statusText, problem.mend ?? null, problem.detail ?? null);
}

let open = 0;
/** Whether there is a question that has not been answered. */
export const requestsPending = () => open > 0;

async function readBody<T>(of: Promise<Response>, how: (answer: Response) => Promise<T>): Promise<T> {
  open += 1;
  try {
    const answer = await of;
    beginWork();
    try { return await how(answer); } finally { endWork(); }
  } finally { open -= 1; }
}

/** Asks for JSON. */
export const getJson = <T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> =>
  readBody(send(path, query, signal), (answer) => answer.json() as Promise<T>);

/** Asks for bytes. */
export const getBytes = (path: string, query: Query = {}, signal?: AbortSignal): Promise<ArrayBuffer> =>
  readBody(send(path, query, signal), (answer) => answer.arrayBuffer());

/** Asks for a picture of numbers: a header in JSON, then rows × columns float32. */
export async function getGrid<Grid extends { values: Float32Array }>(path: string, query: Query, signal?: AbortSignal): Promise<Grid> {
  const body = await getBytes(path, query, signal);
  const length = new DataView(body).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(body, 4, length))) as Omit<Grid, 'values'>;
  return { ...header, values: new Float32Array(body, 4 + length) } as Grid;
}

interface NotReady { state: 'making' }
const AGAIN_MS = 1000;

/** Asks for what the server takes long to make, until it is there. */
export async function getWhenReady<T extends object>(path: string, query: Query, signal: AbortSignal, waits: () => void): Promise<T> {
  for (;;) {
    const answer = await getJson<T | NotReady>(path, query, signal);
    if (!('state' in answer)) return answer;
    waits();
    await pause(AGAIN_MS, signal);
  }
}

/** Whether an error only says that nobody wants the answer any more. */
export const isAborted = (error: Error) => error.name === 'AbortError';
