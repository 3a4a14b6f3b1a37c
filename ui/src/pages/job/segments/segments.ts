// The segments of a job and its clusters: what is asked, what is said of them, and their scales.
import type { ClusterRow, Segments } from '../../../api/api-types';
import { count, seconds } from '../../../format/format';

/** Why there is nothing to draw, in words; null where there is something. */
export function emptyReason(segments: Segments): { title: string; text: string } | null {
  if (segments.total > 0) return null;
  if (segments.world < 0)
    return { title: 'This job has no segments', text: 'A segment is what a job does between two MPI calls that all its ranks take part in. None is known of this job: its time is judged slice by slice.' };
  return { title: 'No segments were recorded', text: 'The ranks of this job took part in no MPI call together after they began, or their segments have expired.' };
}

/** What the segments say, in one sentence. */
export function finding(segments: Segments): string {
  if (segments.total === 1) return 'The whole run is one segment: there is nothing like it to compare it with.';
  const single = segments.clusters.length + segments.rest.clusters === 1;
  const of = single ? `${count(segments.total, 'segment')}, all of one cluster,` : count(segments.total, 'segment');
  if (!segments.hit) return single ? `${count(segments.total, 'segment')}, all of one cluster: none took longer than its like.` : `None of ${of} took longer than its like.`;
  return `${segments.hit.toLocaleString('en')} of ${of} took longer than their like: ${seconds(segments.excess_s)} lost.`;
}

/** What one cluster says (thesis 5.13, 5.14). */
export function describeCluster(cluster: ClusterRow, method: string): string {
  const ended = `ended by ${cluster.name}`;
  if (!cluster.usable) return `Cluster ${cluster.number}, ${ended}: too few of its kind to know what is usual; only waiting that was measured counts.`;
  const head = cluster.hit
    ? `${cluster.hit.toLocaleString('en')} of ${count(cluster.members, 'segment')} of cluster ${cluster.number}, ${ended}, ${cluster.hit === 1 ? 'is' : 'are'} disturbed: ${seconds(cluster.excess_s)} lost.`
    : `None of ${count(cluster.members, 'segment')} of cluster ${cluster.number}, ${ended}, is disturbed.`;
  const own = method === 'jostle' ? ' on average' : '';
  const below = method === 'jostle' && cluster.hit ? ' What was measured call by call counts below it too.' : '';
  return `${head} Undisturbed they take ${seconds(cluster.reference_s)}, the threshold is ${seconds(cluster.threshold_s)}${own}.${below}`;
}

/** Clusters as they are listed: those that lost most first, then those that took most. */
export const rankClusters = (clusters: readonly ClusterRow[]): ClusterRow[] =>
  [...clusters].sort((a, b) => b.excess_s - a.excess_s || b.total_s - a.total_s);

/** Whether all segments of the span are in the answer, so that no closer look needs another. */
export const isComplete = (segments: Segments): boolean => segments.usual.at_s.length + segments.hits.at_s.length === segments.within;

