import { expect, test } from 'vitest';
import { bars, concerned, describeHistogram, fileName, saving, timeShares } from './digest';
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

test('advice on bindings says what it is about, and what is saved', () => {
  const advice = { rule: 'far GPU', seen: '', lever: '', texts: [], pays: '', unless: '', saving: 'none is predicted', saving_s: null, bytes: 2 ** 30, seconds: 2, cases: [], more_cases: 0 };
  expect(concerned(advice)).toBe('1.00 GiB of copies in 2.00 s, summed over processes');
  expect(concerned({ ...advice, rule: 'same cores' })).toBe('2.00 s of waiting for a core, summed over threads');
  expect(concerned({ ...advice, rule: 'far adapter' })).toBe('1.00 GiB that adapters carried, of all jobs');
  expect(saving(advice)).toBe('none is predicted');
  expect(saving({ ...advice, saving: 'if so', saving_s: [1, 1.25, 1.5] })).toBe('1.25 s of copies, if so (1.00 s to 1.50 s: the slowest and the fastest of these)');
  expect(saving({ ...advice, saving: 'if so', saving_s: [1, 1, 1] })).toBe('1.00 s of copies, if so');
});

test('shares that are not known come last, and none is left out that time was counted for', () => {
  const shares = [{ name: 'user CPU', seconds: 0, share: null }, { name: 'file reads', seconds: 2, share: null }, { name: 'file sync', seconds: 1, share: 0.001 }, { name: 'file writes', seconds: 3, share: 0.3 }];
  expect(timeShares({ shares } as JobDigest)).toMatchObject([{ name: 'file writes', share: 0.3 }, { name: 'file reads', share: null }]);
});
