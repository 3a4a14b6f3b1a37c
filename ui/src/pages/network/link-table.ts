// The links as a table: the facts of the picture for keyboards and screen readers. Pure.
import { bytes, points } from '../../format/format';
import { NO_JOB, partOfRate, type FabricShape, type JobColours, type StepLoads } from './fabric';

export type Column = 'link' | 'load' | 'part' | 'job' | 'waiting';
export interface LinkRowText { link: number; name: string; load: string; part: string; job: string; waiting: string; how: 'measured' | 'routed' }

const BUCKETS = 1024;
const { compare } = new Intl.Collator('en', { numeric: true });
const ranks = new WeakMap<readonly string[], Int32Array>();
/** The place of each name among all, node2 before node10; worked out once for a list. */
function rankOf(names: readonly string[]): Int32Array {
  const known = ranks.get(names);
  if (known) return known;
  const order = [...names.keys()].sort((a, b) => compare(names[a] ?? '', names[b] ?? ''));
  const rank = new Int32Array(names.length);
  order.forEach((link, place) => { rank[link] = place; });
  ranks.set(names, rank);
  return rank;
}

/** Kept from step to step: what is thrown away sixty times a second has to be swept up. */
let kept = new Float64Array(0);
const counts = new Uint32Array(BUCKETS);
/** Returns a number for each link: the greatest comes first. */
function keys(shape: FabricShape, step: StepLoads, jobs: JobColours, column: Column): Float64Array {
  if (kept.length !== shape.link_names.length) kept = new Float64Array(shape.link_names.length);
  const found = kept;
  const [rank, job] = [column === 'link' ? rankOf(shape.link_names) : null, column === 'job' ? rankOf(jobs.names) : null];
  for (let link = 0; link < found.length; link += 1) {
    const load = step.load[link] ?? 0;
    if (rank) found[link] = -(rank[link] ?? 0);
    else if (job) found[link] = -(job[step.job[link] ?? NO_JOB] ?? jobs.names.length) + (0.5 * load) / (step.greatest || 1);
    else if (column === 'part') found[link] = partOfRate(shape, load, link) ?? -1;
    else found[link] = (column === 'waiting' ? step.waiting[link] : load) || 0;
  }
  return found;
}

/** Returns the first `most` links in the order of a column: greatest loads, or names from A on; `up` turns it round. All of 50 000 links are not sorted in a frame, so only what is wanted is. */
export function sortedLinks(shape: FabricShape, step: StepLoads, jobs: JobColours, column: Column, up: boolean, search: string, most = Infinity, only: ReadonlySet<number> | null = null): { links: number[]; total: number } {
  const key = keys(shape, step, jobs, column);
  if (up) for (let link = 0; link < key.length; link += 1) key[link] = -(key[link] ?? 0);
  const word = search.toLowerCase();
  const fits = (link: number) => (!only || only.has(link)) && (!word || (shape.link_names[link] ?? '').toLowerCase().includes(word));
  let [low, high, total] = [Infinity, -Infinity, 0];
  counts.fill(0);
  for (let link = 0; link < key.length; link += 1) {
    if (!fits(link)) { key[link] = NaN; continue; }
    const value = key[link] ?? 0;
    if (value < low) low = value;
    if (value > high) high = value;
    total += 1;
  }
  const bucket = (value: number) => Math.floor(((value - low) / (high - low || 1)) * (BUCKETS - 1));
  for (const value of key) if (value === value) { const of = bucket(value); counts[of] = (counts[of] ?? 0) + 1; }
  let [least, above] = [BUCKETS - 1, counts[BUCKETS - 1] ?? 0];
  while (least > 0 && above < most) { least -= 1; above += counts[least] ?? 0; }
  const links: number[] = [];
  for (let link = 0; link < key.length; link += 1) { const value = key[link] ?? NaN; if (value === value && bucket(value) >= least) links.push(link); }
  links.sort((a, b) => (key[b] ?? 0) - (key[a] ?? 0) || a - b);
  return { links: links.slice(0, most), total };
}

export function linkText(shape: FabricShape, step: StepLoads, jobs: JobColours, measured: ReadonlySet<number>, link: number): LinkRowText {
  const load = step.load[link] ?? 0;
  const part = partOfRate(shape, load, link);
  const waits = step.waiting[link] ?? NaN;
  const who = step.job[link] ?? NO_JOB;
  return {
    link, name: shape.link_names[link] ?? '', load: load > 0 ? `${bytes(load)}/s` : 'none', part: part === null ? 'not known' : `${points(100 * part)} %`,
    job: who === NO_JOB ? '' : jobs.names[who] || 'no known job', waiting: waits === waits ? `${points(100 * waits)} %` : '', how: measured.has(link) ? 'measured' : 'routed',
  };
}
