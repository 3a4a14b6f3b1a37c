// One ear for the whole page: `live.commit` changes when the repository does, `live.verdict` when a
// job has been judged.
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
  // The first event only says where we are: pages have just asked.
  if (last !== undefined && number !== last) announceCommit();
  last = number;
});
source.addEventListener('verdict', () => { verdict += 1; });
// The browser tries again by itself. Whether the server is away, or does not know us any more, any question tells.
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
