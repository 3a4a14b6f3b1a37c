import { describe, expect, it } from 'vitest';
import { heatCell, keyOf, inOrderOf, curvePanels, formatShare, formatSize, tables } from './study';
import type { Cell, StudyReport, Summary } from '../../api/api-types';

const summary = (median: number | null, n = 1): Summary => ({ n, median, min: null, max: null, mean: null, low: n > 1 ? 0.1 : null, high: n > 1 ? 0.3 : null });
const cell = (probe: string, signal: string, chunk: number | null, own = 4, other = 4, median: number | null = 0.2, n = 1): Cell => ({
  probe, signal, setting: { chunk, processes: [own, other], shared: false, periodic: false, more: [] }, metric: 'bytes',
  repetitions: [{ run: 'r1', repetition: 1, verdict: median === null ? 'failed' : 'kept', reason: '', probe: null, signal: null }],
  degradation: summary(median, n), degradation_best: null, best: '', dilation: summary(null), signal_degradation: summary(null),
});
const study = (cells: Cell[]): StudyReport => ({
  study: 's', description: '', place: 'lab', slice_ns: 1, runs: 1, planned: 1, programs: ['b', 'a'], standalone: [], cells, break_even: [], serialised: [], imprints: [], traces: [], notes: [], laws: [],
  curves: [{ axis: 'chunk', probe: 'a', signal: 'b', setting: cell('a', 'b', 1).setting, points: [{ x: 1, degradation: summary(0.5), best: null }, { x: 2, degradation: summary(null), best: null }] },
    { axis: 'chunk', probe: 'a', signal: 'a', setting: cell('a', 'a', 1).setting, points: [] }],
});

describe('a study', () => {
  it('has a matrix for each chunk size, in the order of the study', () => {
    const matrices = tables(study([cell('a', 'b', 2048), cell('b', 'a', 2048), cell('a', 'a', 64)]));
    expect(matrices.map((table) => [table.chunk, table.probes, table.signals])).toEqual([[64, ['a'], ['a']], [2048, ['b', 'a'], ['b', 'a']]]);
    expect(matrices[1]?.cells[0]?.[0]).toBeNull();
  });
  it('distinguishes programs by processes where those vary', () => {
    expect(tables(study([cell('a', 'a', 1, 16, 4), cell('a', 'a', 1, 2, 4)]))[0]?.probes).toEqual(['a ×2', 'a ×16']);
  });
  it('has a panel for each probe, its signals as lines', () => {
    const [panel] = curvePanels(study([]));
    expect(panel?.title).toBe('a, 4 against 4 processes');
    expect(panel?.lines.map((line) => [line.name, line.points.length])).toEqual([['alongside b', 1]]);
  });
  it('draws the same signal alike in all panels, and distinguishes lines by what stays the same', () => {
    const of = (axis: string, probe: string, signal: string, own: number, other: number) =>
      ({ axis, probe, signal, setting: cell(probe, signal, 1, own, other).setting, points: [{ x: 1, degradation: summary(0.5), best: null }] });
    const panels = curvePanels({ ...study([]), curves: [of('chunk', 'a', 'a', 4, 4), of('chunk', 'b', 'b', 4, 4), of('chunk', 'b', 'a', 4, 4), of('chunk', 'a', 'b', 4, 4)] });
    expect(panels.map((panel) => [panel.title[0], panel.lines.map((line) => [line.name, line.tone])])).toEqual(
      ['b', 'a'].map((probe) => [probe, [['alongside b', 0], ['alongside a', 1]]]));
    const sizes = curvePanels({ ...study([]), curves: [of('processes', 'a', 'a', -1, 2), of('processes', 'a', 'a', -1, 4), of('signal processes', 'a', 'a', 2, -1)] });
    expect(sizes.map((panel) => panel.lines.map((line) => line.name))).toEqual([['alongside a ×2', 'alongside a ×4'], ['a ×2 alongside a']]);
  });
  it('is shown next to another one in the order of that one', () => {
    expect(inOrderOf(study([]), { ...study([]), programs: ['a', 'c'] }).programs).toEqual(['a', 'b']);
  });
  it('says how many runs, or how certain', () => {
    expect(heatCell(cell('a', 'b', 1), 'degradation')).toEqual({ value: 0.2, text: '20 %', small: '1 run', sure: true });
    expect(heatCell(cell('a', 'b', 1, 4, 4, 0.2, 3), 'degradation')?.small).toBe('10 to 30 %');
    expect(heatCell(cell('a', 'b', 1, 4, 4, null), 'degradation')).toEqual({ value: null, text: '–', small: 'failed', sure: false });
    expect(keyOf(cell('a', 'b', null))).toBe('a~b~~4-4~');
  });
});

it('numbers are those of the commands', () => {
  expect([0.079, 0.5, -0.003, 0, null].map(formatShare)).toEqual(['7.9 %', '50 %', '−0.3 %', '0 %', '–']);
  expect([512, 2048, 1048576, 1610612736].map(formatSize)).toEqual(['512 B', '2 KiB', '1 MiB', '1.5 GiB']);
});
