// The communication matrix of a job: windows, words, borders of nodes. Pure.
import type { Communication, RankLabel, RankPair } from '../../../api/jobs';
import { bytes, count, points } from '../../../format/format';

export type Unit = Communication['unit'];
/** A window of places in the order of the ranks: the first, and the one after the last. */
export type Window = readonly [number, number];

/** Returns a cell's value in words; null: nothing was sent. */
export function valueText(value: number, unit: Unit): string | null {
  if (!(value >= 0)) return null;
  if (unit === 'bytes') return bytes(value);
  return unit === 'messages' ? count(Math.round(value), 'message') : `${points(value)} hops`;
}

/** Names the ranks of a cell: `rank 3 on node2`, `ranks 0 to 7`. */
export function ranksText(label: RankLabel): string {
  if (label.many === 1) return `rank ${label.rank}${label.host ? ` on ${label.host}` : ''}`;
  return label.last - label.rank === label.many - 1 ? `ranks ${label.rank} to ${label.last}` : `${label.many} ranks from ${label.rank} on`;
}

/** Returns the cells before which another node, or another switch, begins. */
export function borders(labels: readonly RankLabel[], of: 'host' | 'switch'): number[] {
  const found: number[] = [];
  for (let at = 1; at < labels.length; at += 1) if (labels[at]?.[of] !== labels[at - 1]?.[of]) found.push(at);
  return found;
}

/** Returns a window zoomed about a part of it, 0 to 1; factors below 1 show fewer ranks. */
export function zoomWindow([begin, end]: Window, factor: number, about: number, ranks: number): Window {
  const long = end - begin;
  const next = Math.min(Math.max(Math.round(long * factor), Math.min(4, ranks)), ranks);
  const from = Math.min(Math.max(Math.round(begin + about * (long - next)), 0), ranks - next);
  return [from, from + next];
}

/** Returns a window moved by a part of its length. */
export function moveWindow([begin, end]: Window, by: number, ranks: number): Window {
  const long = end - begin;
  const from = Math.min(Math.max(begin + Math.round(by * long), 0), ranks - long);
  return [from, from + long];
}

/** What is modelled and what is not drawn, in sentences. */
export const modelledText = (share: number, left: number): string => (left > 0 ? `${bytes(left)} of all-to-all calls among many ranks are not drawn: they are even over all pairs. ` : '') + (
  share > 0.0005 ? `${points(100 * share)} % of the bytes are modelled: what a collective call sends inside the library cannot be seen.` : 'Messages between two ranks are counted; what collective calls send inside the library is not in this picture.');

export const pairSheet = (pairs: readonly RankPair[]) => ({
  columns: ['from_rank', 'to_rank', 'from_node', 'to_node', 'bytes', 'messages', 'hops', 'modelled_share'],
  rows: pairs.map((pair) => [pair.source, pair.target, pair.source_host, pair.target_host, pair.bytes, pair.messages, pair.hops, pair.modelled]),
});
