// Requests that log in and out (src/jostle/server/schemas/login.py).
import type { Me, ScriptToken, WayIn } from './api-types';
import { RequestError, getJson } from './request';

export const getWayIn = () => getJson<WayIn>('login');
export const getMe = () => getJson<Me>('me');

async function post(path: string, body: unknown, csrf: string | null): Promise<Response> {
  const headers: Record<string, string> = { 'Content-Type': 'application/json' };
  if (csrf !== null) headers['X-CSRF-Token'] = csrf;
  const answer = await fetch(`/api/v1/${path}`, { method: 'POST', headers, body: body === null ? null : JSON.stringify(body) });
  if (answer.ok) return answer;
  const problem = (await answer.json().catch(() => ({}))) as { title?: string; fix?: string | null };
  throw new RequestError(answer.status, problem.title ?? answer.statusText, problem.fix ?? null, null, Number(answer.headers.get('Retry-After')) || 0);
}

export const logIn = async (name: string, password: string) => { await post('login', { name, password }, null); };
export const logOut = async (who: Me) => { await post('logout', null, who.csrf); };
export const logOutEverywhere = async (who: Me) => { await post('logout?everywhere=true', null, who.csrf); };
export const createScriptToken = async (who: Me) => (await (await post('token', null, who.csrf)).json()) as ScriptToken;
