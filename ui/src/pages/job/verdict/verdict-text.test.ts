import { describe, expect, it } from 'vitest';
import type { Verdict } from '../../../api/api-types';
import { lossSlices, headline, lightWords, byWhom, othersAlongside, describeSuspectSlices, joinSlices, describeSpans } from './verdict-text';

const slice = (start_ns: number, resource = 'a') => ({ start_ns, length_ns: 1e9, resource, seconds: 0.5, suspect: 's' });

describe('who ran alongside it', () => {
  it('does not count jobs that the viewer may not see', () => {
    expect(othersAlongside({ neighbours: 2 })).toBe('2 other jobs');
    expect(othersAlongside({ neighbours: 1, unnamed: true })).toBe("other users' jobs");
    expect(othersAlongside({ neighbours: 3, unnamed: true })).toBe("2 other jobs and other users' jobs");
    expect(othersAlongside({ neighbours: 0 })).toBe('no other job');
  });
});

describe('spans', () => {
  it('joins slices that touch', () => {
    expect(joinSlices([slice(3e9), slice(1e9), slice(2e9), slice(9e9)])).toEqual([
      { from: 1e9, to: 4e9, seconds: 1.5, slices: 3 },
      { from: 9e9, to: 10e9, seconds: 0.5, slices: 1 },
    ]);
  });
  it('counts a slice once that lost on two resources', () => {
    expect(joinSlices([slice(1e9), slice(1e9, 'b')])).toEqual([{ from: 1e9, to: 2e9, seconds: 1, slices: 1 }]);
  });
});

describe('when', () => {
  it('lists few spans, and counts many', () => {
    expect(describeSpans(joinSlices([slice(3600e9), slice(7199e9)]))).toMatch(/:00:00 – 01, \d\d:59:59 – \d\d:00:00$/);
    expect(describeSpans(joinSlices([{ ...slice(1e9), length_ns: 5e8 }]))).toMatch(/^\d\d:\d\d:01$/);
    expect(describeSpans(joinSlices(Array.from({ length: 50 }, (_, i) => slice(i * 60e9))))).toBe('50 times in 49 min 01 s');
  });
});

describe('words for who did it', () => {
  const verdictOf = (light: string | null, percent: number, neighbours: number, explained = 0, blind = '') => ({
    head: { light, cause: percent < 0.5 ? null : 'cpu', percent: { value: percent }, lost_s: { value: percent / 2 }, run_s: 50 },
    attribution: {
      suspects: explained ? [{ job: 's', share: explained }] : [], unexplained_share: 1 - explained,
      explained_s: { value: (explained * percent) / 2 }, lost_slices: 41, suspect_slices: 7,
    },
    interference: { neighbours, blind },
  }) as unknown as Verdict;
  it('name nobody where no job is suspected', () => {
    expect(headline(verdictOf('green', 4, 0))).toBe('This run lost 2.00 s of its 50.0 s');
    expect(byWhom(verdictOf('green', 4, 0))).toBe('none that was profiled');
    expect(byWhom(verdictOf('yellow', 8, 3))).toBe('no profiled job');
    expect(byWhom(verdictOf('red', 20, 1, 0, 'node: Too few slices'))).toBe('cannot be determined');
    expect(byWhom(verdictOf('green', 0, 3))).toBe('nobody');
    expect(byWhom(verdictOf(null, 0, 0))).toBe('not known');
    expect(byWhom(verdictOf(null, 8, 0))).toBe('none that was profiled');
    expect(headline(verdictOf(null, 8, 0))).toBe('Whether this run was disturbed is undecided');
    expect(headline(verdictOf('red', 20, 1, 1))).toBe('Others cost this run 10.0 s of 50.0 s');
  });
  it('name a loss as soon as the verdict names its cause', () => {
    expect(headline(verdictOf('green', 0.7, 1))).toBe('This run lost 350 ms of its 50.0 s');
    expect(lightWords(verdictOf('green', 0.7, 1).head)).toBe('Hardly disturbed');
    expect(byWhom(verdictOf('green', 0.7, 1))).toBe('no profiled job');
    expect(headline(verdictOf('green', 0.4, 1))).toBe('Nobody disturbed this run');
    expect(headline(verdictOf('green', 0.4, 0))).toBe('This run had the machine to itself');
    expect(lightWords(verdictOf('green', 0.4, 1).head)).toBe('Undisturbed');
    expect(byWhom(verdictOf('green', 0.4, 1))).toBe('nobody');
  });
  it('attribute to suspects no more than they explain', () => {
    expect(headline(verdictOf('red', 60, 1, 0.2))).toBe('This run lost 30.0 s of its 50.0 s: 6.00 s to others that were profiled');
    expect(describeSuspectSlices(verdictOf('red', 60, 1, 0.2))).toBe('suspects in 7 of 41 slices that lost time');
    expect(describeSuspectSlices(verdictOf('red', 60, 1))).toBe('');
  });
  it('separate what was lost to suspects from what nobody explains', () => {
    const hit = (start_ns: number) => ({ start_ns, end_ns: start_ns + 1e9, resource: 'n', seconds: 0.9, cause: 'cpu' });
    const run = { interference: { disturbed: [slice(2e9)] }, estimate: { hits: [hit(1e9), hit(2e9), hit(3e9)] } } as unknown as Verdict;
    expect(lossSlices(run).map((slice) => [slice.start_ns, slice.suspect])).toEqual([[1e9, ''], [2e9, 's'], [3e9, '']]);
  });
});
