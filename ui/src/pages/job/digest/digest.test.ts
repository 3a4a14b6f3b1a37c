import { expect, test } from 'vitest';
import { bars, describeHistogram, fileName, timeShares } from './digest';
import type { JobDigest } from '../../../api/api-types';

test('bars and description of a histogram agree', () => {
  const histogram = [2, 0, 0, 1200, 0];
  expect(bars(histogram).map((bar) => bar.n)).toEqual(histogram);
  expect(bars(histogram)[3]?.height).toBe(1);
  expect(describeHistogram(histogram)).toBe('0 to 1 B: 2, 4 B to 8 B: 1,200');
  expect(describeHistogram([0, 0])).toBe('');
});

test('a file is called by its path, else by its hash; the others by their number', () => {
  const file = { path: '/data/a', mount: 'nfs:x', hash: '0f', format: '', files: 1, processes: 1, opens: 1, reads: 0, writes: 0, syncs: 0, read_bytes: 0, write_bytes: 0, seconds: 0, meta_s: 0 };
  expect(fileName(file)).toBe('/data/a');
  expect(fileName({ ...file, path: '' })).toBe('file 0f');
  expect(fileName({ ...file, path: '', hash: '', files: 1200 })).toBe('1,200 others');
  expect(fileName({ ...file, path: '', hash: '' })).toBe('1 other');
});

test('shares that are not known come last, and none is left out that time was counted for', () => {
  const shares = [{ name: 'user CPU', seconds: 0, share: null }, { name: 'file reads', seconds: 2, share: null }, { name: 'file sync', seconds: 1, share: 0.001 }, { name: 'file writes', seconds: 3, share: 0.3 }];
  expect(timeShares({ shares } as JobDigest)).toMatchObject([{ name: 'file writes', share: 0.3 }, { name: 'file reads', share: null }]);
});
