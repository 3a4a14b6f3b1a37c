// One event stream for the whole page: `live.commit` changes with the repository, `live.verdict` when
// there is a new verdict.
import { getJson, requestsPending } from './request';
import { connection } from './connection.svelte';
import { coalesced } from './coalesce';

interface CommitEvent { number: number; newest_ns: number; jobs: string[] }

let commit = $state(0);
let verdict = $state(0);
let last: number | undefined;
const source = new EventSource('/api/v1/live');
const announceCommit = coalesced(requestsPending, () => { commit += 1; });

source.addEventListener('commit', (event) => {
  const { number } = JSON.parse((event as MessageEvent<string>).data) as CommitEvent;
  // The first event is the current state, which the pages have just loaded.
  if (last !== undefined && number !== last) announceCommit();
  last = number;
});
source.addEventListener('verdict', () => { verdict += 1; });
// The browser reconnects by itself. One request finds out whether the server is away or the session is over.
let asking = false;
source.addEventListener('error', () => {
  if (asking) return;
  asking = true;
  getJson('me').catch(() => undefined).finally(() => { asking = false; });
});
source.addEventListener('open', () => { connection.lost = false; });

export const live = {
  get commit() { return commit; },
  get verdict() { return verdict; },
};
