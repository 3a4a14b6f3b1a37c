import { describe, expect, it } from 'vitest';
import { activity, choices, filtered, question, toggled, wanted, windowed } from './job-query';
import { words } from '../../api/request';

describe('the list of jobs', () => {
  it('is asked for what its address says', () => {
    const what = wanted(new URLSearchParams('search=lammps&light=red&light=yellow&sort=-lost'));
    expect(filtered(what)).toBe(true);
    expect(words(question(what, 100, 50))).toBe('?light=red&light=yellow&search=lammps&sort=-lost&offset=100&limit=50');
  });
  it('wants all of them at first', () => {
    const what = wanted(new URLSearchParams());
    expect(filtered(what)).toBe(false);
    expect(words(question(what, 0, 100))).toBe('?sort=-start&offset=0&limit=100');
  });
  it('takes no time that is none', () => {
    expect(question(wanted(new URLSearchParams('from=yesterday')), 0, 1)['from_ns']).toBeNull();
    for (const same of ['2026-11-22T10:00', '2026-11-22T10:00Z', '2026-11-22T12:00%2B02:00']) {
      expect(question(wanted(new URLSearchParams(`from=${same}`)), 0, 1)['from_ns']).toBe(Date.UTC(2026, 10, 22, 10) * 1e6);
    }
  });
  it('keeps a choice that nothing fits any more', () => {
    const facets = { light: { red: 3, green: 9 }, cause: {}, user: {}, program: {}, state: {} };
    expect(choices(facets, 'light', ['yellow'])).toEqual([['green', 9], ['red', 3], ['yellow', 0]]);
    expect(toggled(['a', 'b'], 'a')).toEqual(['b']);
    expect(toggled(['a'], 'b')).toEqual(['a', 'b']);
  });
  it('has the rows of the screen and some around', () => {
    expect(windowed(200, 800, 50, 10_000, 2)).toEqual([0, 14]);
    expect(windowed(-5000, 800, 50, 10_000, 2)).toEqual([98, 118]);
    expect(windowed(-5000, 800, 50, 40, 2)).toEqual([40, 40]);
    expect(windowed(0, 800, 50, 0)).toEqual([0, 0]);
  });
  it('says what a sparkline is of', () => {
    expect(activity({ spark: [0, 0, 4, 1], spark_of: 'mpi' })).toEqual({ short: 'MPI', said: 'time in MPI over its time, most 63 % of the way through' });
    expect(activity({ spark: [0, 0], spark_of: 'files' })).toBeNull();
    expect(activity({ spark: [], spark_of: null })).toBeNull();
  });
});
