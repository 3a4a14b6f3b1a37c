import { expect, test } from 'vitest';
import { lostAt, range, whatIf } from './what-if';
import type { Recommendations } from '../../../api/api-types';

const interval = (value: number) => ({ value, low: value, high: value });
/** A job of 100 s that lost 30 s, 20 of them to a job of its user that ran from 50 s on for 150 s. */
const given: Recommendations = {
  job: 'a', run_s: 100, lost: interval(30), found: [], nothing: '', limits: [],
  own_neighbours: [{ job: 'b', start_s: 50, end_s: 200, seconds: interval(20) }],
};

test('what is lost follows the time for which both run', () => {
  expect(lostAt(given, 0)).toBe(30);
  expect(lostAt(given, -50)).toBe(10); // they do not meet; what others cost stays
  expect(lostAt(given, 50)).toBe(50); // ran concurrently all the time
  expect(lostAt(given, 200)).toBe(10);
  expect(lostAt(given, 175)).toBeCloseTo(20);
});

test('a job can be moved until it meets nobody', () => {
  expect(range(given)).toEqual([-50, 200]);
  expect(whatIf(given, 0)).toBe('As it ran, others cost it 30.0 s.');
  expect(whatIf(given, -50)).toBe('Started 50.0 s earlier, it would lose 10.0 s in place of 30.0 s.');
});
