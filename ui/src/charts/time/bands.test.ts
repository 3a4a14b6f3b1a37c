import { describe, expect, it } from 'vitest';
import { coverage, bandsForColumns } from './bands';

const many = Array.from({ length: 10_000 }, (_, i) => ({ from: i * 2, to: i * 2 + 1, weight: 0.5 }));

describe('shades', () => {
  it('leaves few bands as they are, a column wide at least', () => {
    expect(bandsForColumns([{ from: 10, to: 10.001, weight: 0.5 }, { from: 200, to: 300, weight: 1 }], 0, 1000, 100)).toEqual([
      { from: 10, to: 20, weight: 0.5 }, { from: 200, to: 300, weight: 1 },
    ]);
  });
  it('averages what shares a column, and joins what is alike', () => {
    const merged = bandsForColumns(many, 0, 20_000, 1000);
    expect(merged).toHaveLength(1);
    expect(merged[0]?.from).toBe(0);
    expect(merged[0]?.to).toBeCloseTo(20_000);
    expect(merged[0]?.weight).toBeCloseTo(0.25, 1);
  });
  it('is never more than the columns', () => { expect(bandsForColumns(many.filter((_, i) => i % 50 < 25), 0, 20_000, 300).length).toBeLessThanOrEqual(300); });
  it('shows each again close by, and nothing of elsewhere', () => {
    expect(bandsForColumns(many, 100, 110, 1000)).toHaveLength(5);
    expect(bandsForColumns(many, 30_000, 31_000, 100)).toEqual([]);
  });
});

describe('coverage', () => {
  it('shows few bands a column wide, at their place', () => {
    expect([...coverage([{ from: 10, to: 10.001, weight: 0.5 }], 0, 40, 40)].slice(9, 12)).toEqual([0, 0.5, 0]);
    expect([...coverage(many, 30_000, 31_000, 3)]).toEqual([0, 0, 0]);
  });
  it('averages what shares a column', () => { expect(coverage(many, 0, 20_000, 1000)[500]).toBeCloseTo(0.25); });
  it('keeps the faintest to be seen, and none beyond whole', () => {
    expect(coverage([{ from: 0, to: 4, weight: 0.01 }, { from: 2, to: 4, weight: 1 }, { from: 2, to: 4, weight: 1 }], 0, 4, 32)[0]).toBeCloseTo(1 / 12);
    expect(coverage([{ from: 0, to: 4, weight: 1 }, { from: 0, to: 4, weight: 1 }], 0, 4, 32)[3]).toBe(1);
  });
});
