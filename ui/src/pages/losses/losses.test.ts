import { expect, test } from 'vitest';
import type { Losses } from '../../api/api-types';
import { daysOf, headline, readSpan, startOf } from './losses';

const sum = (jobs: number, run_s: number, lost_s: number, core_hours: number) => ({ name: 'all', jobs, run_s, lost_s, core_hours, worst: '', worst_s: 0 });
const losses = (jobs: number, waiting: number, total = sum(jobs - waiting, 100, 25, 2)): Losses =>
  ({ jobs, waiting, total, users: [], programs: [], resources: [], weeks: [] });

test('the headline says what was lost, and whether that is all', () => {
  expect(headline(losses(3, 3))).toBe('No verdict yet');
  expect(headline(losses(2, 0, sum(2, 100, 0, 0)))).toBe('2 jobs lost nothing');
  expect(headline(losses(5, 1))).toMatch(/^4 jobs lost 25.0 s of .*, 25 %: 2.* core-hours, so far$/);
});

test('a span begins at a full hour', () => {
  expect(readSpan(null)).toBe('month');
  expect(readSpan('week')).toBe('week');
  expect(readSpan('toString')).toBe('month');
  expect(startOf('all', 1e12)).toBe(0);
  expect([daysOf('week'), daysOf('all')]).toEqual([7, 366]);
  expect(startOf('week', 1.7e12) % 3.6e12).toBe(0);
  expect(startOf('week', 1.7e12)).toBeLessThanOrEqual((1.7e12 - 7 * 86_400_000) * 1e6);
});
