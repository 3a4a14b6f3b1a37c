// Sends requests. Errors of the server become RequestError; while the server is away, requests are retried.
import type { Problem } from './api-types';
import { connection } from './connection.svelte';
import { beginWork, endWork } from './pending';

export type Query = Record<string, string | number | readonly string[] | null | undefined>;

/** The server refused a request. */
export class RequestError extends Error {
  /** @param waitS - Seconds before which another request would be refused too. */
  constructor(readonly status: number, message: string, readonly fix: string | null, readonly detail: string | null = null, readonly waitS = 0) { super(message); }
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8000;

/** Returns a query as text; lists repeat their name, null and undefined are left out. */
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

/** Repeats a request until there is an answer: a page shall survive a restart of the server. */
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
  connection.damage = decodeURIComponent(answer.headers.get('X-Jostle-Damage') ?? '');
  if (answer.ok) { connection.wasLoggedIn ||= path === 'me'; return answer; }
  if (answer.status === 401) connection.loggedOut = true;
  const problem = (await answer.json().catch(() => ({}))) as Partial<Problem>;
  throw new RequestError(answer.status, problem.title ?? answer.statusText, problem.fix ?? null, problem.detail ?? null);
}

let open = 0;
/** Whether a request is unanswered. */
export const requestsPending = () => open > 0;

async function readBody<T>(of: Promise<Response>, how: (answer: Response) => Promise<T>): Promise<T> {
  open += 1;
  try {
    const answer = await of;
    beginWork();
    try { return await how(answer); } finally { endWork(); }
  } finally { open -= 1; }
}

/** Requests JSON. */
export const getJson = <T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> =>
  readBody(send(path, query, signal), (answer) => answer.json() as Promise<T>);

/** Requests bytes. */
export const getBytes = (path: string, query: Query = {}, signal?: AbortSignal): Promise<ArrayBuffer> =>
  readBody(send(path, query, signal), (answer) => answer.arrayBuffer());

/** Requests a grid: the length of the header (uint32), the header in JSON, then rows × columns float32. */
export async function getGrid<Grid extends { values: Float32Array }>(path: string, query: Query, signal?: AbortSignal): Promise<Grid> {
  const body = await getBytes(path, query, signal);
  const length = new DataView(body).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(body, 4, length))) as Omit<Grid, 'values'>;
  return { ...header, values: new Float32Array(body, 4 + length) } as Grid;
}

interface NotReady { state: 'making' }
const AGAIN_MS = 1000;

/** Repeats a request for a result that the server computes in the background, until it is ready. */
export async function getWhenReady<T extends object>(path: string, query: Query, signal: AbortSignal, waits: () => void): Promise<T> {
  for (;;) {
    const answer = await getJson<T | NotReady>(path, query, signal);
    if (!('state' in answer)) return answer;
    waits();
    await pause(AGAIN_MS, signal);
  }
}

/** Whether an error only says that the request was aborted. */
export const isAborted = (error: Error) => error.name === 'AbortError';
