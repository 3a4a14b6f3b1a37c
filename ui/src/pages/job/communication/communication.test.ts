import { describe, expect, it } from 'vitest';
import { borders, modelledText, moveWindow, pairSheet, ranksText, valueText, zoomWindow } from './communication';

const label = (rank: number, host: string, many = 1) => ({ rank, last: rank + many - 1, many, host, switch: '' });

describe('the communication matrix', () => {
  it('zooms and moves within the ranks', () => {
    expect(zoomWindow([0, 4096], 0.5, 0.5, 4096)).toEqual([1024, 3072]);
    expect(zoomWindow([1024, 3072], 4, 0.5, 4096)).toEqual([0, 4096]);
    expect(zoomWindow([0, 8], 0.1, 1, 8)).toEqual([4, 8]);
    expect(moveWindow([0, 10], 0.5, 100)).toEqual([5, 15]);
    expect(moveWindow([85, 95], 1, 100)).toEqual([90, 100]);
  });
  it('names ranks and values', () => {
    expect(ranksText(label(3, 'node2'))).toBe('rank 3 on node2');
    expect(ranksText(label(8, 'node2', 8))).toBe('ranks 8 to 15');
    expect(ranksText({ ...label(8, 'node2', 2), last: 40 })).toBe('2 ranks from 8 on');
    expect([valueText(NaN, 'bytes'), valueText(2048, 'bytes'), valueText(1, 'messages'), valueText(2.5, 'hops')]).toEqual([null, '2.00 KiB', '1 message', '2.5 hops']);
    expect(modelledText(0.25, 0)).toContain('25 %');
    expect(modelledText(0, 2048)).toMatch(/^2.00 KiB of all-to-all .* counted/);
  });
  it('knows where nodes begin', () => { expect(borders([label(0, 'a'), label(1, 'a'), label(2, 'b')], 'host')).toEqual([2]); });
  it('gives the heaviest pairs as a sheet', () => { expect(pairSheet([]).columns).toHaveLength(8); });
});
