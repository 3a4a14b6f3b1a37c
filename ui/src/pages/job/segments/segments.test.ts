import { describe, expect, it } from 'vitest';
import { finding, emptyReason, rankClusters, describeCluster, isComplete } from './segments';
import type { ClusterRow, Points, Segments } from '../../../api/api-types';

const points = (seconds: number[]): Points => ({ at_s: seconds.map((_, at) => at), seconds, cluster: seconds.map(() => 1), threshold_s: seconds.map(() => 2), lost_s: seconds.map(() => 0), work: seconds.map(() => null) });
const cluster = (number: number, more: Partial<ClusterRow> = {}): ClusterRow => ({ number, name: 'MPI_Allreduce', members: 20, reference_s: 1, mad_s: 0.1, threshold_s: 1.4, hit: 0, excess_s: 0, total_s: 20, usable: true, box: null, ...more });
const answer = (more: Partial<Segments> = {}): Segments => ({
  job: 'a', method: 'jostle', world: 0, ranks: 2, start_ns: 0, end_ns: 100e9, total: 40, hit: 0, excess_s: 0, clusters: [cluster(1), cluster(2)],
  rest: { clusters: 0, members: 0, hit: 0, excess_s: 0, total_s: 0 }, cluster: null, chosen: null, within: 40, hits_within: 0, usual: points([1]), hits: points([]), limits: [], ...more,
});

describe('words', () => {
  it('say why there is nothing', () => {
    expect(emptyReason(answer({ total: 0, world: -1 }))?.title).toBe('This job has no segments');
    expect(emptyReason(answer({ total: 0 }))?.title).toBe('No segments were recorded');
    expect(emptyReason(answer())).toBeNull();
  });
  it('say what was found', () => {
    expect(finding(answer())).toBe('None of 40 segments took longer than similar ones.');
    expect(finding(answer({ hit: 3, excess_s: 2.44 }))).toBe('3 of 40 segments took longer than similar ones: 2.44 s lost.');
    expect(finding(answer({ clusters: [cluster(1)] }))).toBe('40 segments, all of one cluster: none took longer than similar ones.');
    expect(finding(answer({ total: 1 }))).toMatch(/^The whole run is one segment/);
  });
  it('say what a cluster lost, and beyond which duration', () => {
    const text = describeCluster(cluster(7, { hit: 1, excess_s: 0.5 }), 'jostle');
    expect(text).toMatch(/^1 of 20 segments of cluster 7, ended by MPI_Allreduce, is disturbed: 500 ms lost\. Undisturbed they take 1\.00 s, the threshold is 1\.40 s on average\./);
    expect(describeCluster(cluster(7), 'thesis')).toBe('None of 20 segments of cluster 7, ended by MPI_Allreduce, is disturbed. Undisturbed they take 1.00 s, the threshold is 1.40 s.');
    expect(describeCluster(cluster(7, { usable: false }), 'jostle')).toMatch(/too few segments for a reference/);
  });
});

it('lists first what lost most, then what took longest', () => {
  const rows = [cluster(1, { total_s: 5 }), cluster(2, { total_s: 9 }), cluster(3, { excess_s: 1 })];
  expect(rankClusters(rows).map((row) => row.number)).toEqual([3, 2, 1]);
});

it('knows when nothing was thinned out', () => {
  expect(isComplete(answer({ within: 1 }))).toBe(true);
  expect(isComplete(answer())).toBe(false);
});

