import { expect, test } from 'vitest';
import type { NowRow } from '../../api/api-types';
import { headline, nodeTiles, nowWords } from './now';

const row = (job: string, now_percent: number, nodes: string[], more: Partial<NowRow> = {}) =>
  ({ job, now_percent, nodes, running: true, learning: false, ...more }) as NowRow;
const answer = (...jobs: NowRow[]) => ({ newest_ns: 0, jobs });

test('the headline says how many jobs lose time', () => {
  expect(headline(answer())).toBe('No job runs now');
  expect(headline(answer(row('a', 0, [])))).toBe('1 job runs, none loses time to others');
  expect(headline(answer(row('a', 20, []), row('b', 0.2, []), row('c', 3, [], { running: false })))).toBe('2 jobs run, 2 lose time to others');
});

test('what is not known yet is no zero', () => {
  expect(nowWords(row('a', 0, [], { learning: true }))).toBe('not known yet');
  expect(nowWords(row('a', 0, []))).toBe('0 %');
});

test('a node has the largest loss of its jobs', () => {
  const tiles = nodeTiles([row('a', 5, ['n10', 'n2']), row('b', 50, ['n2'])]);
  expect(tiles.map((tile) => tile.host)).toEqual(['n2', 'n10']);
  expect(tiles[0]).toEqual({ host: 'n2', percent: 50, part: 1, jobs: ['b', 'a'] });
  expect(tiles[1]?.part).toBe(0.2);
});
