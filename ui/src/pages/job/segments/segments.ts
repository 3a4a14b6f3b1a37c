// Segments and clusters: their sentences and their order. Pure.
import type { ClusterRow, Segments } from '../../../api/api-types';
import { count, seconds } from '../../../format/format';

/** Returns why there are no segments; null if there are some. */
export function emptyReason(segments: Segments): { title: string; text: string } | null {
  if (segments.total > 0) return null;
  if (segments.world < 0)
    return { title: 'This job has no segments', text: 'A segment is what a job does between two collectives, of MPI, NCCL or gloo, that all its ranks take part in. This job has none, so its loss is estimated slice by slice.' };
  return { title: 'No segments were recorded', text: 'No collective after the start involved all ranks of this job, or its segments have expired.' };
}

/** Returns the finding over all segments, in one sentence. */
export function finding(segments: Segments): string {
  if (segments.total === 1) return 'The whole run is one segment: there is no similar segment to compare it with.';
  const single = segments.clusters.length + segments.rest.clusters === 1;
  const of = single ? `${count(segments.total, 'segment')}, all of one cluster,` : count(segments.total, 'segment');
  if (!segments.hit) return single ? `${count(segments.total, 'segment')}, all of one cluster: none took longer than similar ones.` : `None of ${of} took longer than similar ones.`;
  return `${segments.hit.toLocaleString('en')} of ${of} took longer than similar ones: ${seconds(segments.excess_s)} lost.`;
}

/** Returns the finding for one cluster (thesis 5.13, 5.14). */
export function describeCluster(cluster: ClusterRow, method: string): string {
  const ended = `ended by ${cluster.name}`;
  if (!cluster.usable) return `Cluster ${cluster.number}, ${ended}: too few segments for a reference duration; only measured waiting counts as lost.`;
  const head = cluster.hit
    ? `${cluster.hit.toLocaleString('en')} of ${count(cluster.members, 'segment')} of cluster ${cluster.number}, ${ended}, ${cluster.hit === 1 ? 'is' : 'are'} disturbed: ${seconds(cluster.excess_s)} lost.`
    : `None of ${count(cluster.members, 'segment')} of cluster ${cluster.number}, ${ended}, is disturbed.`;
  const own = method === 'jostle' ? ' on average' : '';
  const below = method === 'jostle' && cluster.hit ? ' Loss that was measured call by call counts below the threshold too.' : '';
  return `${head} Undisturbed they take ${seconds(cluster.reference_s)}, the threshold is ${seconds(cluster.threshold_s)}${own}.${below}`;
}

/** Sorts clusters by the time they lost, then by the time they took, largest first. */
export const rankClusters = (clusters: readonly ClusterRow[]): ClusterRow[] =>
  [...clusters].sort((a, b) => b.excess_s - a.excess_s || b.total_s - a.total_s);

/** Whether the answer holds all segments of its span, so that a zoom needs no other request. */
export const isComplete = (segments: Segments): boolean => segments.usual.at_s.length + segments.hits.at_s.length === segments.within;

