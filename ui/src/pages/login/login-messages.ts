// What is said of a log-in, and where it leads. Pure.
import type { Me } from '../../api/api-types';

/** Where to go after a log-in: the page that was asked for. Only paths of ours count. */
export function pageAfterLogin(path: string, search: string): string {
  const asked = new URLSearchParams(search).get('next');
  if (asked !== null && /^\/(?![/\\])/.test(asked)) return asked;
  return path === '/login' ? '/jobs' : path + search;
}

export interface LoginNotice { kind: 'bad' | 'plain'; text: string }
const FAILED = new Map([
  ['busy', 'Too many log in just now. Try again in a minute.'],
  ['issuer', 'The log-in service does not answer as it should. Try again in a while; if it stays so, tell the operator.'],
  ['late', 'That log-in took too long, or was begun in another window. Try again.'],
  ['many', 'Too many log-ins were begun from where you are. Try again in a minute.'],
  ['refused', 'The log-in service did not let you in.'],
]);
/** What to say above a log-in: of one that came back without success, of a session that is over; null: nothing. */
export function loginNotice(search: string, ended: boolean): LoginNotice | null {
  const query = new URLSearchParams(search);
  const word = query.get('failed');
  if (word !== null) return { kind: 'bad', text: FAILED.get(word) ?? 'The log-in failed. Try again.' };
  if (query.has('left')) return { kind: 'plain', text: query.get('left') === 'everywhere' ? 'You are logged out everywhere, and your tokens are no longer good.' : 'You are logged out.' };
  return ended ? { kind: 'plain', text: 'Your session has ended. Log in again, and you are back on this page.' } : null;
}

/** What somebody sees here, in a sentence. */
export function describeAccess(who: Me): string {
  if (who.role === 'support' || who.role === 'administrator') return 'You see the jobs of all users.';
  const names = who.accounts.map((account) => account.name);
  const own = who.uid === null ? 'This name is no user of the cluster, so there are no jobs of yours' : 'You see your own jobs';
  const list = names.length > 4 ? `${names.length} users` : names.join(', ').replace(/, ([^,]*)$/, ' and $1');
  const more = names.length ? `${who.uid === null ? '; you see those' : ', and those'} of ${list}` : '';
  return `${own}${more}. Of other users' jobs you see only sums.`;
}
