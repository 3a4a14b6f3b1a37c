import { describe, expect, it } from 'vitest';
import { foldMounts, jobBoxes, latestSpan, loadText, jobsAt, momentLabel, roundMoments, rowHeight, rowLabels, rowName, shortened } from './grid-layout';
import type { MountLoad } from '../../api/api-types';
import type { GridJob } from '../../api/system';

const S = 1e9;
const jobs: GridJob[] = [
  { job: 'a', rows: [[0, 3], [6, 6]], start_ns: 0, end_ns: 50 * S },
  { job: 'b', rows: [[2, 2]], start_ns: 20 * S, end_ns: 30 * S },
];

describe('rectangles', () => {
  it('a split job is several, and named once, where there is most room', () => {
    const boxes = jobBoxes(jobs, [0, 100], 1000, 10, () => 40);
    expect(boxes.map((box) => [box.job, box.x, box.y, box.width, box.height, box.label])).toEqual([
      ['a', 0, 0, 500, 40, 'a'],
      ['a', 0, 60, 500, 10, ''],
      ['b', 200, 20, 100, 10, ''],
    ]);
  });
  it('what begins before the span begins at its edge, and hair is left out', () => {
    expect(jobBoxes(jobs, [25, 26], 100, 10, () => 0).map((box) => box.x)).toEqual([-2, -2, -2]);
    expect(jobBoxes(jobs, [0, 1e6], 100, 10, () => 0)).toEqual([]);
  });
  it('a name does not run into the next job', () => {
    const next: GridJob[] = [{ job: 'one', rows: [[0, 0]], start_ns: 0, end_ns: 90 * S }, { job: 'two', rows: [[0, 0]], start_ns: 3 * S, end_ns: 80 * S }];
    expect(jobBoxes(next, [0, 100], 1000, 20, () => 40).map((box) => box.label)).toEqual(['', 'two']);
    expect(jobBoxes(next, [0, 10], 1000, 20, () => 40).map((box) => box.label)).toEqual(['one', 'two']);
  });
  it('the latest of several on a node is hit first', () => {
    expect(jobsAt(jobs, 2, 25 * S, 0).map((job) => job.job)).toEqual(['b', 'a']);
    expect(jobsAt(jobs, 2, 31 * S, 2 * S).map((job) => job.job)).toEqual(['a']);
    expect(jobsAt(jobs, 5, 25 * S, 0)).toEqual([]);
    expect(jobsAt(jobs, 6, 51 * S, 2 * S).map((job) => job.job)).toEqual(['a']);
  });
});

describe('rows', () => {
  it('few are high, thousands are not thinner than can be seen', () => {
    expect(rowHeight(4, 600)).toBe(30);
    expect(rowHeight(60, 600)).toBe(10);
    expect(rowHeight(5000, 600)).toBe(6);
    const nodes = (count: number) => Array.from({ length: count }, (_, at) => ({ host: `n${at}`, last: null, lane: 0, lanes: 1 }));
    expect(rowLabels(nodes(4), 6).map((label) => label.row)).toEqual([0, 3]);
    expect(rowLabels(nodes(3), 20).map((label) => label.row)).toEqual([0, 1, 2]);
  });
  it('several nodes say from where to where', () => {
    expect(rowName({ host: 'n1', last: 'n4', lane: 0, lanes: 1 })).toBe('n1 – n4');
    expect(rowName({ host: 'n1', last: null, lane: 0, lanes: 1 })).toBe('n1');
  });
});

it('a node is named once, in the middle of its lanes', () => {
  const lanes = [0, 1, 2].map((lane) => ({ host: 'a', last: null, lane, lanes: 3 }));
  expect(rowLabels([...lanes, { host: 'b', last: null, lane: 0, lanes: 1 }], 20)).toEqual([{ row: 0, lanes: 3, y: 30 }, { row: 3, lanes: 1, y: 70 }]);
});

it('a name that is too long is cut, not left out', () => {
  const wide = (text: string) => 10 * text.length;
  expect(shortened('optimiser', 90, wide)).toBe('optimiser');
  expect(shortened('optimiser', 70, wide)).toBe('optimi…');
  expect(shortened('optimiser', 40, wide)).toBe('');
});

it('cores and processes are counted, not seconds per second', () => {
  expect(loadText(1.59, 's/s', 'cpu')).toBe('1.59 cores busy');
  expect(loadText(0.004, 's/s', 'communication')).toBe('under 0.01 processes in communication or files');
  expect(loadText(2048, 'bytes/s', 'bytes')).toBe('2.00 KiB/s');
});

it('mounts with next to no load are folded', () => {
  const [busy, idle] = [1e9, 1e3].map((total) => ({ total }) as MountLoad);
  expect(foldMounts([busy, idle] as MountLoad[])).toEqual({ shown: [busy], folded: [idle] });
  expect(foldMounts([])).toEqual({ shown: [], folded: [] });
});

describe('axis', () => {
  it('stands on round moments, and no two names touch', () => {
    const at = roundMoments([3605, 3725], 400);
    expect(at).toEqual([3630, 3660, 3690, 3720]);
    expect(momentLabel(3630, 30)).toBe('01:00:30');
    expect(roundMoments([3605.1, 3605.5], 400)).toHaveLength(5);
    expect(momentLabel(3605.2, 0.1)).toBe('01:00:05.2');
  });
  it('now is where the repository ends', () => {
    expect(latestSpan(10, [0, 100])).toEqual([90, 100]);
    expect(latestSpan(1000, [0, 100])).toEqual([0, 100]);
  });
});
