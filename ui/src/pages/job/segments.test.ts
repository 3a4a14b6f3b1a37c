import { describe, expect, it } from 'vitest';
import { finding, instants, label, linear, nothing, place, powers, ranked, told, whole, type Cluster, type Points, type Segments } from './segments';

const points = (seconds: number[]): Points => ({ at_s: seconds.map((_, at) => at), seconds, cluster: seconds.map(() => 1), threshold_s: seconds.map(() => 2), lost_s: seconds.map(() => 0), work: seconds.map(() => null) });
const cluster = (number: number, more: Partial<Cluster> = {}): Cluster => ({ number, name: 'MPI_Allreduce', members: 20, reference_s: 1, mad_s: 0.1, threshold_s: 1.4, hit: 0, excess_s: 0, total_s: 20, usable: true, box: null, ...more });
const made = (more: Partial<Segments> = {}): Segments => ({
  job: 'a', method: 'jostle', world: 0, ranks: 2, start_ns: 0, end_ns: 100e9, total: 40, hit: 0, excess_s: 0, clusters: [cluster(1), cluster(2)],
  rest: { clusters: 0, members: 0, hit: 0, excess_s: 0, total_s: 0 }, cluster: null, chosen: null, within: 40, hits_within: 0, usual: points([1]), hits: points([]), limits: [], ...more,
});

describe('words', () => {
  it('say why there is nothing', () => {
    expect(nothing(made({ total: 0, world: -1 }))?.title).toBe('This job has no segments');
    expect(nothing(made({ total: 0 }))?.title).toBe('No segments were recorded');
    expect(nothing(made())).toBeNull();
  });
  it('say what was found', () => {
    expect(finding(made())).toBe('None of 40 segments took longer than its like.');
    expect(finding(made({ hit: 3, excess_s: 2.44 }))).toBe('3 of 40 segments took longer than their like: 2.4 s lost.');
    expect(finding(made({ clusters: [cluster(1)] }))).toBe('40 segments, all of one cluster: none took longer than its like.');
    expect(finding(made({ total: 1 }))).toMatch(/^The whole run is one segment/);
  });
  it('say what a cluster lost, and beyond which duration', () => {
    const text = told(cluster(7, { hit: 1, excess_s: 0.5 }), 'jostle');
    expect(text).toMatch(/^1 of 20 segments of cluster 7, ended by MPI_Allreduce, is disturbed: 500 ms lost\. Undisturbed they take 1\.0 s, the threshold is 1\.4 s on average\./);
    expect(told(cluster(7), 'thesis')).toBe('None of 20 segments of cluster 7, ended by MPI_Allreduce, is disturbed. Undisturbed they take 1.0 s, the threshold is 1.4 s.');
    expect(told(cluster(7, { usable: false }), 'jostle')).toMatch(/too few of its kind/);
  });
});

it('lists first what lost most, then what took longest', () => {
  const rows = [cluster(1, { total_s: 5 }), cluster(2, { total_s: 9 }), cluster(3, { excess_s: 1 })];
  expect(ranked(rows).map((one) => one.number)).toEqual([3, 2, 1]);
});

it('knows when nothing was thinned out', () => {
  expect(whole(made({ within: 1 }))).toBe(true);
  expect(whole(made())).toBe(false);
});

describe('scales', () => {
  it('begin at 0 and hold the threshold', () => {
    const axis = linear([1, 1.1, 0.9], [2]);
    expect([axis.low, axis.cut, axis.high >= 2]).toEqual([0, false, true]);
    expect([place(axis, 0), place(axis, axis.high)]).toEqual([0, 1]);
  });
  it('are not flattened by one outlier', () => {
    const axis = linear([...Array<number>(99).fill(1), 500]);
    expect(axis.cut).toBe(true);
    expect(axis.high).toBeLessThan(2);
    expect(place(axis, 500)).toBe(1);
  });
  it('of powers have round labels, each once', () => {
    const axis = powers([6e-6, 6.1, 0]);
    expect(axis.ticks.length).toBeLessThanOrEqual(6);
    expect(new Set(axis.ticks.map(label)).size).toBe(axis.ticks.length);
    expect(place(axis, 6e-6)).toBeGreaterThan(0);
    expect(place(axis, 0)).toBe(0);
    expect(powers([]).ticks.length).toBeGreaterThan(0);
    expect(powers([0.5, 0.5]).ticks).toEqual([0.5]);
  });
  it('of time are round on the clock of the viewer', () => {
    expect(instants(1000, 1060, 6)).toEqual([1000, 1010, 1020, 1030, 1040, 1050, 1060]);
    expect(instants(5, 5.004, 4)).toHaveLength(5);
  });
});
