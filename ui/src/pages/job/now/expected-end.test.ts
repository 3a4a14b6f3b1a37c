import { expect, test } from 'vitest';
import type { NowRow, Trend } from '../../../api/api-types';
import { expectedEnd } from './expected-end';

const job = { job: 'j', start_ns: 0, seen_ns: 60e9, lost_s: 10, now_percent: 50 } as NowRow;
const trend = (runs: [string, number, number | null, boolean?][]) =>
  ({ runs: runs.map(([name, run_s, lost_s, running = false]) => ({ job: name, run_s, running, verdict: lost_s === null ? null : { lost_s } })) }) as unknown as Trend;

test('the rest is what earlier runs took alone, less what is done', () => {
  // Alone they took 100, 110 and 90 s; of its 60 s this one lost 10.
  const found = expectedEnd(job, trend([['a', 120, 20], ['b', 110, 0], ['c', 95, 5], ['j', 60, 10, true], ['d', 500, null]]));
  expect(found).toEqual({ without_ns: 110e9, with_ns: 160e9, runs: 3 });
});

test('without earlier runs nothing is expected, nor of a run that is longer than they were', () => {
  expect(expectedEnd(job, undefined)).toBeNull();
  expect(expectedEnd(job, trend([['a', 100, 0], ['b', 100, 0]]))).toBeNull();
  expect(expectedEnd({ ...job, seen_ns: 500e9 }, trend([['a', 100, 0], ['b', 100, 0], ['c', 100, 0]]))).toBeNull();
});
