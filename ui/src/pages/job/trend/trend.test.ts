import { describe, expect, it } from 'vitest';
import type { TrendRun } from '../../../api/api-types';
import { describeRun, lostPart, trendSheet, waitingWords } from './trend';

const run = (light: 'red' | null | undefined, running = false): TrendRun => ({
  job: 'a', start_ns: 0, run_s: 10, running, why_not: '',
  verdict: light === undefined ? null : { light, undecided: '', percent: 25, lost_s: 2.5, cause: 'cpu', what: 'CPU', resource: 'n', run_s: 10, core_hours: 0, causes: [] },
});

describe('a run of a program', () => {
  it('says when, how long and how disturbed it was', () => {
    expect(describeRun(run('red'))).toBe('a · 1970-01-01 00:00 · 10.0 s · red, 25 % lost to CPU');
    expect(describeRun(run(null, true))).toBe('a · 1970-01-01 00:00 · 10.0 s so far · undecided, 25 % lost to CPU');
    expect(describeRun(run(undefined))).toBe('a · 1970-01-01 00:00 · 10.0 s · no estimate yet');
  });
  it('has a part that was lost', () => {
    expect([lostPart(run('red')), lostPart(run(undefined))]).toEqual([0.25, 0]);
    expect(trendSheet([run('red')]).rows[0]).toEqual(['a', '1970-01-01 00:00:00.000', 10, 'red', 25, 2.5, 'cpu']);
  });
  it('may not be assessed yet', () => {
    expect(waitingWords({ program: 'p', processes: 1, runs: [run('red'), run(undefined)] })).toBe('1 run of 2 estimated so far: one after another, the newest first');
    expect(waitingWords({ program: 'p', processes: 1, runs: [{ ...run(undefined), why_not: 'too short' }] })).toBe('');
    expect(waitingWords({ program: 'p', processes: 1, runs: [run('red')] })).toBe('');
  });
});
