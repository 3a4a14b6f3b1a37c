// Messages about log-ins, and the page that follows. Pure.
import type { Me } from '../../api/api-types';

/** Returns the page to open after a log-in: the requested one, if it is on this server. */
export function pageAfterLogin(path: string, search: string): string {
  const asked = new URLSearchParams(search).get('next');
  if (asked !== null && /^\/(?![/\\])/.test(asked)) return asked;
  return path === '/login' ? '/jobs' : path + search;
}

export interface LoginNotice { kind: 'bad' | 'plain'; text: string }
const FAILED = new Map([
  ['busy', 'Too many users are logging in. Try again in a minute.'],
  ['issuer', 'The log-in service gave no valid answer. Try again later; if that does not help, tell the operator.'],
  ['late', 'The log-in took too long, or was started in another window. Try again.'],
  ['many', 'Too many log-ins were started from your address. Try again in a minute.'],
  ['refused', 'The log-in service did not let you in.'],
]);
/** Returns the notice above a log-in form: why a log-in failed, or that a session ended; null: none. */
export function loginNotice(search: string, ended: boolean): LoginNotice | null {
  const query = new URLSearchParams(search);
  const word = query.get('failed');
  if (word !== null) return { kind: 'bad', text: FAILED.get(word) ?? 'The log-in failed. Try again.' };
  if (query.has('left')) return { kind: 'plain', text: query.get('left') === 'everywhere' ? 'You are logged out everywhere, and your tokens are no longer valid.' : 'You are logged out.' };
  return ended ? { kind: 'plain', text: 'Your session has ended. Log in again to return to this page.' } : null;
}

/** Returns which jobs the viewer can see, in a sentence. */
export function describeAccess(who: Me): string {
  if (who.role === 'support' || who.role === 'administrator') return 'You see the jobs of all users.';
  const names = who.accounts.map((account) => account.name);
  const own = who.uid === null ? 'This name is no user of the cluster, so you have no jobs of your own' : 'You see your own jobs';
  const list = names.length > 4 ? `${names.length} users` : names.join(', ').replace(/, ([^,]*)$/, ' and $1');
  const more = names.length ? `${who.uid === null ? '; you see those' : ', and those'} of ${list}` : '';
  return `${own}${more}. Of other users' jobs you see only sums.`;
}
