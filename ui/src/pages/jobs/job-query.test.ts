import { describe, expect, it } from 'vitest';
import { batchSentence, describeActivity, facetChoices, isFiltered, jobsQuery, toggleValue, readFilters, visibleRows } from './job-query';
import { queryString } from '../../api/request';

describe('the list of jobs', () => {
  it('is asked for what its address says', () => {
    const what = readFilters(new URLSearchParams('search=lammps&light=red&light=yellow&sort=-lost'));
    expect(isFiltered(what)).toBe(true);
    expect(queryString(jobsQuery(what, 100, 50))).toBe('?light=red&light=yellow&search=lammps&sort=-lost&offset=100&limit=50');
  });
  it('is asked for the parts of a batch job', () => {
    const what = readFilters(new URLSearchParams('batch=12'));
    expect(isFiltered(what)).toBe(true);
    expect(queryString(jobsQuery(what, 0, 100))).toBe('?batch=12&sort=-start&offset=0&limit=100');
  });
  it('says what a batch job lost as a whole', () => {
    const batch = { name: '12', title: 'Slurm job 12', parts: 3, waiting: 1, run_s: 100, loss: null, scheduler: null };
    expect(batchSentence(batch)).toBe('Slurm job 12: 1 of 3 parts has no verdict yet.');
    const loss = { light: 'yellow' as const, lost_s: { value: 10, low: 8, high: 12 }, percent: { value: 10, low: 8, high: 12 }, cause: 'CPU', why: '' };
    expect(batchSentence({ ...batch, waiting: 0, loss })).toMatch(/^Slurm job 12 lost 10.* s \(8.* s to 12.* s\) of .*, 10 %: CPU\.$/);
    expect(batchSentence({ ...batch, waiting: 0, loss: { ...loss, lost_s: null, why: 'no part of it could be evaluated' } })).toBe('Slurm job 12: no part of it could be evaluated.');
  });
  it('wants all of them at first', () => {
    const what = readFilters(new URLSearchParams());
    expect(isFiltered(what)).toBe(false);
    expect(queryString(jobsQuery(what, 0, 100))).toBe('?sort=-start&offset=0&limit=100');
  });
  it('takes no time that is none', () => {
    expect(jobsQuery(readFilters(new URLSearchParams('from=yesterday')), 0, 1)['from_ns']).toBeNull();
    for (const same of ['2026-11-22T10:00', '2026-11-22T10:00Z', '2026-11-22T12:00%2B02:00']) {
      expect(jobsQuery(readFilters(new URLSearchParams(`from=${same}`)), 0, 1)['from_ns']).toBe(Date.UTC(2026, 10, 22, 10) * 1e6);
    }
  });
  it('keeps a choice that nothing fits any more', () => {
    const facets = { light: { red: 3, green: 9 }, cause: {}, user: {}, program: {}, state: {} };
    expect(facetChoices(facets, 'light', ['yellow'])).toEqual([['green', 9], ['red', 3], ['yellow', 0]]);
    expect(toggleValue(['a', 'b'], 'a')).toEqual(['b']);
    expect(toggleValue(['a'], 'b')).toEqual(['a', 'b']);
  });
  it('has the rows of the screen and some around', () => {
    expect(visibleRows(200, 800, 50, 10_000, 2)).toEqual([0, 14]);
    expect(visibleRows(-5000, 800, 50, 10_000, 2)).toEqual([98, 118]);
    expect(visibleRows(-5000, 800, 50, 40, 2)).toEqual([40, 40]);
    expect(visibleRows(0, 800, 50, 0)).toEqual([0, 0]);
  });
  it('says what a sparkline is of', () => {
    expect(describeActivity({ spark: [0, 0, 4, 1], spark_of: 'mpi' })).toEqual({ short: 'MPI', description: 'time in MPI over its time, most 63 % of the way through' });
    expect(describeActivity({ spark: [1], spark_of: 'collectives' })?.short).toBe('collectives');
    expect(describeActivity({ spark: [0, 0], spark_of: 'files' })).toBeNull();
    expect(describeActivity({ spark: [], spark_of: null })).toBeNull();
  });
});
