import { describe, expect, it } from 'vitest';
import { cellValue, processMeans, rowLabels, describeStragglers, timeTicks, peakOf } from './process-grid';

const grid = (rows: number[][]) => ({
  start_ns: 100e9, step_ns: 2e9, columns: rows[0]?.length ?? 0, rows: rows.map((_, rank) => ({ rank, name: `rank ${rank}`, host: 'n1' })), values: new Float32Array(rows.flat()),
});

describe('cells', () => {
  const cells = grid([[1, NaN, 3], [4, 5, 6]]);
  it('finds the cell of an instant', () => { expect([cellValue(cells, 0, 101), cellValue(cells, 1, 104.5), cellValue(cells, 0, 102), cellValue(cells, 0, 99), cellValue(cells, 0, 106)]).toEqual([1, 6, null, null, null]); });
  it('takes means of what is known', () => { expect(processMeans(cells)).toEqual([2, 5]); });
  it('finds the greatest and its time', () => { expect(peakOf(cells, 0)).toEqual({ value: 3, at_ns: 104e9 }); });
  it('has nothing to say of a process without a record', () => { expect(peakOf(grid([[NaN]]), 0)).toBeNull(); });
});

describe('stragglers', () => {
  const described = (values: number[]) => { const cells = grid(values.map((value) => [value])); return describeStragglers(cells, processMeans(cells)); };
  it('names who does much more', () => { expect(described([1, 1, 1, 3])).toBe("rank 3 has 3.0 × the median"); });
  it('leaves out what started the ranks', () => {
    const cells = grid([[0], [4], [4], [4.1]]);
    cells.rows[0] = { rank: -1, name: 'mpirun', host: 'n1' };
    expect(describeStragglers(cells, processMeans(cells))).toBe('all within 2 % of the median');
  });
  it('names who does much less', () => { expect(described([10, 10, 4, 10])).toBe("rank 2 has 40 % of the median"); });
  it('says that they are alike', () => { expect(described([100, 104, 100, 98])).toBe('all within 4 % of the median'); });
  it('is silent of two, and of nothing', () => { expect([described([1, 9]), described([0, 0, 0])]).toEqual([null, null]); });
});

describe('axes', () => {
  it('names as many rows as there is room for', () => {
    expect(rowLabels(grid(Array.from({ length: 4 }, () => [1])), 64).map((label) => label.text)).toEqual(['rank 0', 'rank 1', 'rank 2', 'rank 3']);
    expect(rowLabels(grid(Array.from({ length: 64 }, () => [1])), 256).map((label) => label.row)).toEqual([0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60]);
  });
  it('has round instants', () => { expect(timeTicks(1000.3, 1010, 500)).toEqual([1002, 1004, 1006, 1008]); });
});
