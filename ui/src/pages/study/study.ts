// The results of a study as matrices and curves. Pure.
import type { Cell, Curve, Setting, Standalone, StudyReport } from '../../api/api-types';
import type { HeatCell } from '../../charts/grids/heat-map';

export type Measure = 'degradation' | 'dilation';

export function formatSize(bytes: number): string {
  for (const [unit, name] of [[1024 ** 3, 'GiB'], [1024 ** 2, 'MiB'], [1024, 'KiB']] as const) {
    if (bytes >= unit) return `${Number((bytes / unit).toPrecision(4))} ${name}`;
  }
  return `${Math.round(bytes)} B`;
}

export function formatShare(share: number | null | undefined): string {
  if (share === null || share === undefined) return '–';
  const value = 100 * share;
  const text = Math.abs(value) >= 9.95 ? value.toFixed(0) : value.toFixed(1);
  return `${Number(text) === 0 ? '0' : text.replace('-', '−')} %`;
}

/** Returns the settings that all cells of a matrix share, apart from chunk size and processes. */
export function kindOf(setting: Setting): string {
  return [...setting.more.map(([name, value]) => `${name} ${value}`), setting.shared ? 'shared file' : '', setting.periodic ? 'periodic signal' : ''].filter(Boolean).join(', ');
}
export const chunkName = (chunk: number | null) => (chunk === null ? 'no chunk size' : formatSize(chunk));
export const keyOf = (cell: { probe: string; signal: string; setting: Setting }) =>
  [cell.probe, cell.signal, cell.setting.chunk ?? '', cell.setting.processes.join('-'), kindOf(cell.setting)].join('~');

export interface Table { kind: string; chunk: number | null; probes: string[]; signals: string[]; cells: (Cell | null)[][] }

/** Returns one matrix per chunk size and kind of setting; if process counts vary, they are part of the program's label. */
export function tables(study: StudyReport): Table[] {
  const sized = new Set(study.cells.flatMap((cell) => cell.setting.processes)).size > 1;
  const named = (program: string, processes: number) => (sized ? `${program} ×${processes}` : program);
  const probe = (cell: Cell) => named(cell.probe, cell.setting.processes[0]);
  const signal = (cell: Cell) => named(cell.signal, cell.setting.processes[1]);
  const groups = new Map<string, Cell[]>();
  for (const cell of study.cells) {
    const key = `${kindOf(cell.setting)}\n${cell.setting.chunk ?? ''}`;
    groups.set(key, [...(groups.get(key) ?? []), cell]);
  }
  const order = (label: string) => { const at = study.programs.indexOf(label.split(' ×')[0] ?? ''); return at < 0 ? study.programs.length : at; };
  const sorted = (labels: string[]) => [...new Set(labels)].sort((a, b) => order(a) - order(b) || Number(a.split('×')[1] ?? 0) - Number(b.split('×')[1] ?? 0));
  return [...groups.values()].map((cells) => {
    const first = cells[0] as Cell;
    const [probes, signals] = [sorted(cells.map(probe)), sorted(cells.map(signal))];
    return {
      kind: kindOf(first.setting), chunk: first.setting.chunk, probes, signals,
      cells: probes.map((p) => signals.map((s) => cells.find((cell) => probe(cell) === p && signal(cell) === s) ?? null)),
    };
  }).sort((a, b) => a.kind.localeCompare(b.kind) || (a.chunk ?? 0) - (b.chunk ?? 0));
}

/** Returns a cell as it is drawn. */
export function heatCell(cell: Cell | null, measure: Measure): HeatCell | null {
  if (!cell) return null;
  const { median, low, high, n } = cell[measure];
  if (median === null) return { value: null, text: '–', small: cell.repetitions[0]?.verdict ?? 'no run', sure: false };
  const small = low !== null && high !== null ? `${formatShare(low).replace(' %', '')} to ${formatShare(high)}` : `${n} ${n === 1 ? 'run' : 'runs'}`;
  return { value: Math.min(Math.max(median, 0), 1), text: formatShare(median), small, sure: true };
}

export interface Line { name: string; tone: number; points: { x: number; y: number; low: number | null; high: number | null }[] }
export interface Panel { title: string; axis: string; lines: Line[] }

/** Returns curves as panels: one for each probe, axis and kind of setting, with a line per signal.

    A line has the same tone in all panels; lines without points are left out. */
export function curvePanels(study: StudyReport): Panel[] {
  const panels = new Map<string, Panel>();
  const at = (program: string) => (study.programs.indexOf(program) + 1 || study.programs.length + 1) - 1;
  const order = (a: string, b: string) => at(a) - at(b);
  const curves = study.curves.map((curve) => ({ ...curve, name: lineName(curve) }));
  const inOrder = [...curves].sort((a, b) => order(a.signal, b.signal));
  const tones = (axis: string) => [...new Set(inOrder.filter((curve) => curve.axis === axis).map((curve) => curve.name))];
  for (const curve of [...curves].sort((a, b) => order(a.probe, b.probe))) {
    const points = curve.points.filter((point) => point.degradation.median !== null)
      .map((point) => ({ x: point.x, y: point.degradation.median as number, low: point.degradation.low, high: point.degradation.high }));
    if (!points.length) continue;
    const kind = kindOf(curve.setting);
    const key = `${curve.axis}\n${curve.probe}\n${kind}\n${curve.axis === 'chunk' ? curve.setting.processes.join() : curve.setting.chunk}`;
    const fixed = curve.axis === 'chunk' ? `${curve.setting.processes.join(' against ')} processes` : curve.setting.chunk === null ? '' : formatSize(curve.setting.chunk);
    const panel = panels.get(key) ?? { title: [curve.probe, kind, fixed].filter(Boolean).join(', '), axis: curve.axis, lines: [] };
    panel.lines.push({ name: curve.name, tone: tones(curve.axis).indexOf(curve.name), points });
    panel.lines.sort((a, b) => a.tone - b.tone);
    panels.set(key, panel);
  }
  return [...panels.values()];
}

/** Returns the name of a line within its panel: the signal, and the process count that stays fixed. */
function lineName({ axis, probe, signal, setting: { processes: [own, other] } }: Curve): string {
  if (axis === 'processes') return `alongside ${signal} ×${other}`;
  return axis === 'signal processes' ? `${probe} ×${own} alongside ${signal}` : `alongside ${signal}`;
}

/** Returns the standalone runs in the order of the study's programs, then by size. */
export const standaloneInOrder = (study: StudyReport): Standalone[] => [...study.standalone].sort((a, b) =>
  study.programs.indexOf(a.program) - study.programs.indexOf(b.program) || (a.setting.chunk ?? 0) - (b.setting.chunk ?? 0) || a.setting.processes[0] - b.setting.processes[0]);

/** Returns a study with its programs in the order of another study, for a view side by side. */
export const inOrderOf = (study: StudyReport, as: StudyReport): StudyReport =>
  ({ ...study, programs: [...as.programs.filter((program) => study.programs.includes(program)), ...study.programs.filter((program) => !as.programs.includes(program))] });
