import { describe, expect, it } from 'vitest';
import type { Series } from '../../../api/api-types';
import { panelsOf, spliceFine, thinOut } from './slice-panels';
import { valueAt } from '../../../charts/time/track';

const series = (start_s: number, step_s: number, mean: (number | null)[], name = 'written'): Series => ({
  few: false, metric: 'bytes', unit: 'bytes/s', start_ns: start_s * 1e9, step_ns: step_s * 1e9, lines: [{ name, mean, low: mean, high: mean }],
});

describe('spliced', () => {
  it('closes the last step', () => {
    expect(spliceFine({ coarse: series(10, 4, [1, 2]) }, 0)).toMatchObject({ at: [10, 14, 18], mean: [1, 2, 2] });
  });
  it('puts finer steps in the middle of coarse ones', () => {
    const track = spliceFine({ coarse: series(0, 4, [1, 2, 3, 4]), fine: series(5, 1, [7, 8, 9, 6, 5]) }, 0);
    expect(track.at).toEqual([0, 4, 5, 6, 7, 8, 9, 10, 12, 16]);
    expect(track.mean).toEqual([1, 2, 7, 8, 9, 6, 5, 3, 4, 4]);
  });
  it('puts finer steps inside of one coarse step', () => {
    const track = spliceFine({ coarse: series(0, 8, [1, 2]), fine: series(2, 1, [7, 8]) }, 0);
    expect(track.at).toEqual([0, 2, 3, 4, 8, 16]);
    expect(track.mean).toEqual([1, 7, 8, 1, 2, 2]);
  });
  it('lets finer steps reach beyond both ends', () => {
    expect(spliceFine({ coarse: series(4, 4, [1]), fine: series(3, 1, [5, 6, 7, 8, 9, 3]) }, 0)).toMatchObject({ at: [3, 4, 5, 6, 7, 8, 9], mean: [5, 6, 7, 8, 9, 3, 3] });
  });
  it('takes no series for finer that is not', () => {
    expect(spliceFine({ coarse: series(0, 4, [1]), fine: series(0, 4, [2]) }, 0).mean).toEqual([1, 1]);
  });
});

describe('valueAt', () => {
  const track = spliceFine({ coarse: series(0, 2, [1, null, 3]) }, 0);
  it('finds the step of an instant', () => { expect([0, 1.9, 2, 4.5].map((t) => valueAt(track, t))).toEqual([1, 1, null, 3]); });
  it('knows nothing before and after', () => { expect([-0.1, 6].map((t) => valueAt(track, t))).toEqual([null, null]); });
});

describe('panelsOf', () => {
  it('leaves out what is next to nothing, and others who did nothing', () => {
    const own = { ...series(0, 1, [100, 100]), lines: [...series(0, 1, [100, 100]).lines, ...series(0, 1, [0, 0.5], 'read').lines] };
    const panels = panelsOf({ coarse: own }, { coarse: series(0, 1, [0, 0]) }, { b: { coarse: series(0, 1, [0, 0]) } }, undefined);
    expect(panels.map((panel) => panel.key)).toEqual(['This job written', 'b written']);
  });
  it('shows a job that did nothing at all', () => {
    expect(panelsOf({ coarse: series(0, 1, [0, 0]) }, undefined, {}, undefined)).toHaveLength(1);
  });
});

describe('thinned', () => {
  const long = { steps_ns: Array.from({ length: 6000 }, (_, i) => i * 1e9), slice_ns: 1e9, service: Array.from({ length: 6000 }, (_, i) => i % 4) };
  it('puts steps together, and keeps least and greatest', () => {
    const track = thinOut(long, undefined);
    expect(track.at).toHaveLength(1001);
    expect([track.low[7], track.high[7]]).toEqual([0, 3]);
  });
  it('leaves a close look as it is', () => {
    const track = thinOut(long, [100e9, 200e9]);
    const at = track.at.indexOf(150);
    expect([track.at[at + 1], track.mean[at]]).toEqual([151, 2]);
  });
  it('changes nothing of few', () => { expect(thinOut({ steps_ns: [0, 1e9], slice_ns: 1e9, service: [1, null] }, undefined)).toMatchObject({ at: [0, 1, 2], mean: [1, null, null] }); });
});
