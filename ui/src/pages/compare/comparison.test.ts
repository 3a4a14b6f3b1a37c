import { describe, expect, it, vi } from 'vitest';
import { compareAddress } from '../../jobs/compare-link';
import { bars, loadCandidates, runsOfCluster, headline, otherRuns, pieces, reasons, repeatedPrograms, scale, signedSeconds, slowest } from './comparison';
import type { Compared, JobRow } from '../../api/api-types';

const bounded = (value: number) => ({ value, low: value, high: value });
const run = (job: string, run_s: number, ranks = 2) => ({ job, program: 'solver', run_s, start_ns: 0, ranks, lost_s: bounded(0), percent: bounded(0), coverage: 1, light: 'green' as const, assessed: true, sure: 1, undecided: '' });
const compared: Compared = {
  runs: [run('B', 13.1), run('A', 10)], baseline: 1, finding: 'found', measured_s: [3.1, 0], estimated_s: [2.9, 0], displaced_s: [-0.4, 0], work_s: [0.5, 0], unexplained_s: [0.1, 0],
  by_cause: { 'file system': [2.4, 0], cpu: [0.5, 0] }, clusters: [], more_clusters: 0, limits: [],
  run_times: { runs: [], groups: [], baseline: 'A', baseline_group: 'solver' },
};

describe('a difference', () => {
  it('is the sum of its pieces', () => {
    const sum = pieces(compared, 0).reduce((all, piece) => all + piece.seconds, 0);
    expect(sum).toBeCloseTo(3.1);
    expect(pieces(compared, 1)).toEqual([]);
  });
  it('is put in words, the largest first, what made up for it last', () => {
    expect(slowest(compared)).toBe(0);
    expect(reasons(compared, 0)).toBe('2.40 s file system, 500 ms CPU, 500 ms other work, 100 ms not explained, minus 400 ms as everything else was faster');
    expect(headline(compared)).toBe('B took 3.10 s longer than A: 2.40 s file system, 500 ms CPU, 500 ms other work');
  });
  it('calls messages within a node what they are', () => {
    expect(reasons({ ...compared, by_cause: { 'memory or cpu': [2.9, 0] } }, 0)).toContain('2.90 s memory or CPU (messages within the node)');
  });
  it('is left to the words of the command where there is none, or none that counts', () => {
    expect(headline({ ...compared, measured_s: [0.01, 0] })).toBe('found');
    expect(headline({ ...compared, runs: [run('B', 13.1, 4), run('A', 10)] })).toBe('found');
  });
  it('is drawn from 0 to both sides, on one scale', () => {
    const drawn = bars(compared, 0);
    expect(drawn.filter((bar) => bar.piece.seconds < 0)).toMatchObject([{ from: -0.4, to: 0 }]);
    expect(Math.max(...drawn.map((bar) => bar.to))).toBeCloseTo(3.5);
    expect(scale(compared)).toEqual([-0.4, 3.5]);
    expect([signedSeconds(3.1), signedSeconds(-0.5), signedSeconds(0)]).toEqual(['+3.10 s', '−500 ms', '0']);
  });
});

it('leaves out runs that a cluster says nothing about', () => {
  const row = { name: 'x', members: [5, 0], reference_s: [1, 0], excess_s: [0, 0], total_s: [5, 0], numbers: [1, 0], boxes: [null, null] };
  expect(runsOfCluster(compared, row)).toEqual([0]);
  expect(runsOfCluster(compared, { ...row, members: [0, 5] })).toEqual([0, 1]);
});

describe('runs to choose from', () => {
  const job = (name: string, program: string, start_ns: number) => ({ job: name, program, start_ns }) as JobRow;
  const rows = [job('a', 'x', 1), job('b', 'x', 3), job('c', 'y', 2), job('d', 'x', 2)];
  it('are of the same program, the newest first', () => {
    expect(otherRuns(rows, ['a']).map((row) => row.job)).toEqual(['b', 'd']);
  });
  it('are of programs that ran twice', () => {
    expect(repeatedPrograms(rows).map((entry) => [entry.program, entry.runs.map((row) => row.job)])).toEqual([['x', ['b', 'd', 'a']]]);
  });
  it('are found however many jobs ran since', async () => {
    const asked: string[] = [];
    vi.stubGlobal('fetch', (url: string) => {
      asked.push(url);
      return Promise.resolve(new Response(JSON.stringify({ total: 9000, jobs: url.includes('program=') ? [job('new', 'x', 9)] : [job('ab', 'y', 1), job('a', 'x', 1)] })));
    });
    expect((await loadCandidates('a')).map((row) => row.job)).toEqual(['a', 'new']);
    expect(asked[1]).toContain('program=x');
    expect(await loadCandidates('none')).toEqual([]);
    vi.unstubAllGlobals();
  });
  it('have an address', () => {
    expect(compareAddress(['a b', 'c'])).toBe('/compare?job=a%20b&job=c');
  });
});
