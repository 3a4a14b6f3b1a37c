import { describe, expect, it } from 'vitest';
import { columnsOf, arraysOf, paintColumns } from './trace';

const track = (at: number[], mean: (number | null)[], spread = 0) => arraysOf({
  at, mean, low: mean.map((value) => (value === null ? null : value - spread)), high: mean.map((value) => (value === null ? null : value + spread)),
});

describe('columnsOf', () => {
  it('stretches a step over its columns, and joins neighbours', () => {
    const columns = columnsOf(track([0, 2, 4], [1, 3, 3]), 0, 4, 4);
    expect([...columns.least]).toEqual([1, 1, 1, 3]);
    expect([...columns.most]).toEqual([1, 1, 3, 3]);
  });
  it('loses no peak among many steps of a column', () => {
    const mean = Array.from({ length: 1001 }, (_, i) => (i === 500 ? 9 : 1));
    const columns = columnsOf(track(mean.map((_, i) => i), mean), 0, 1000, 10);
    expect([columns.most[5], columns.least[5], columns.peak]).toEqual([9, 1, 9]);
    expect(columns.most[4]).toBe(1);
  });
  it('leaves gaps, and joins nothing over them', () => {
    const columns = columnsOf(track([0, 1, 2, 3], [5, null, 2, 2]), 0, 3, 3);
    expect([...columns.most]).toEqual([5, NaN, 2]);
  });
  it('sees only the span, with the step that reaches into it', () => {
    const columns = columnsOf(track([0, 10, 20, 30], [7, 1, 8, 8]), 12, 18, 3);
    expect([[...columns.least], [...columns.most], columns.peak]).toEqual([[1, 1, 1], [1, 1, 1], 1]);
  });
  it('is empty before and after', () => {
    expect([...columnsOf(track([0, 1], [1, 1]), 5, 6, 2).most]).toEqual([NaN, NaN]);
  });
});

describe('painted', () => {
  const look = { line: [255, 0, 0], fill: [0, 255, 0], veil: 0.5, half: 0.5 } as const;
  const size = { width: 2, height: 4, below: 1 };
  const column = (out: Uint32Array, x: number) => [0, 1, 2, 3, 4].map((row) => (out[x * 5 + row] ?? 0).toString(16));
  it('fills below the line; nothing where nothing is known', () => {
    const out = new Uint32Array(10);
    paintColumns(columnsOf(track([0, 1], [2, 2]), 0, 2, 2), size, 4, look, false, out);
    expect(column(out, 0)).toEqual(['0', '800000ff', 'ff008080', 'ff00ff00', '0']);
    expect(column(out, 1)).toEqual(['0', '0', '0', '0', '0']);
  });
  it('draws a line at zero whole', () => {
    const out = new Uint32Array(10);
    paintColumns(columnsOf(track([0, 2], [0, 0]), 0, 2, 2), size, 4, { ...look, half: 1 }, false, out);
    expect(column(out, 0)).toEqual(['0', '0', '0', 'ff0000ff', 'ff0000ff']);
  });
  it('lays a veil from least to greatest', () => {
    const out = new Uint32Array(10);
    paintColumns(columnsOf(track([0, 2], [2, 2], 1), 0, 2, 2), size, 4, { ...look, half: 0.01 }, true, out);
    expect(column(out, 0)).toEqual(['0', '800000ff', 'ff008080', 'ff00ff00', '0']);
  });
});
