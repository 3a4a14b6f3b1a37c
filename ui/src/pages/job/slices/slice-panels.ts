// Series of the server as a stack of charts. Pure.
import type { Series, Verdict } from '../../../api/api-types';
import type { Panel, Track, Values } from '../../../charts/time/track';

/** A series over the whole run, and a finer one over part of it. */
export interface Layers { coarse: Series; fine?: Series | undefined }

const NS = 1e9;
const sum = (values: Values) => values.reduce<number>((all, value) => all + (value ?? 0), 0);

/** Replaces the coarse steps of a series by its finer ones where there are any. */
export function spliceFine({ coarse, fine }: Layers, line: number): Track {
  const track: Track = { at: [], mean: [], low: [], high: [] };
  const rough = coarse.lines[line];
  const smooth = fine?.lines.find((other) => other.name === rough?.name);
  if (!rough) return track;
  const put = (time: number, from: typeof rough, i: number) => {
    track.at.push(time / NS);
    track.mean.push(from.mean[i] ?? null);
    track.low.push(from.low[i] ?? null);
    track.high.push(from.high[i] ?? null);
  };
  const has = fine && smooth && smooth.mean.length > 0 && fine.step_ns < coarse.step_ns;
  const begin = has ? fine.start_ns : Infinity;
  const end = has ? fine.start_ns + smooth.mean.length * fine.step_ns : Infinity;
  let inserted = false;
  for (let i = 0; i < rough.mean.length; i += 1) {
    const start = coarse.start_ns + i * coarse.step_ns;
    if (start < begin) put(start, rough, i);
    const stop = start + coarse.step_ns;
    if (has && !inserted && (stop >= begin || i === rough.mean.length - 1)) {
      for (let k = 0; k < smooth.mean.length; k += 1) put(fine.start_ns + k * fine.step_ns, smooth, k);
      inserted = true;
    }
    if (has && start >= begin && stop > end) put(Math.max(start, end), rough, i);
    else if (has && start < begin && stop > end) put(end, rough, i);
  }
  const last = Math.max(coarse.start_ns + rough.mean.length * coarse.step_ns, has ? end : 0);
  track.at.push(last / NS);
  for (const values of [track.mean, track.low, track.high]) values.push(values.at(-1) ?? null);
  return track;
}

const rough = (series: Series) => series.lines.some((line) => line.mean.some((value, i) => value !== line.high[i]));

/** Returns the lines that get a chart: those above 1 % of the largest; the first if there are none. */
function livelyLines(series: Series): number[] {
  const sums = series.lines.map((line) => sum(line.mean));
  const most = Math.max(...sums, 0);
  const lively = sums.flatMap((total, at) => (total > 0.01 * most ? [at] : []));
  return lively.length ? lively : series.lines.slice(0, 1).map(() => 0);
}

/** Returns a chart of each of some lines. */
export function linePanels(layers: Layers, lines: number[], who: string, note: string, tone: 'own' | 'others'): Panel[] {
  return lines.map((line) => {
    const name = layers.coarse.lines[line]?.name ?? '';
    return { key: `${who} ${name}`, title: `${who}, ${name}`, note, unit: layers.coarse.unit, tone, ribbon: rough(layers.coarse), track: spliceFine(layers, line) };
  });
}

/** Returns the charts of a job's page: its own, its time per call, all other jobs, then each suspect. */
export function panelsOf(own: Layers, others: Layers | undefined, suspects: Record<string, Layers>, verdict: Verdict | undefined): Panel[] {
  const panels = linePanels(own, livelyLines(own.coarse), 'This job', '', 'own');
  const loss = verdict?.interference?.resources[0];
  if (verdict && loss?.steps_ns.length) panels.push(service(loss, verdict.mounts[loss.resource] ?? loss.resource, own.fine));
  if (others) {
    const busy = livelyLines(others.coarse).filter((line) => sum(others.coarse.lines[line]?.mean ?? []) > 0);
    panels.push(...linePanels(others, busy, 'All others', 'on the same mounts or nodes', 'others'));
  }
  for (const [job, layers] of Object.entries(suspects)) {
    const busy = livelyLines(layers.coarse).filter((line) => sum(layers.coarse.lines[line]?.mean ?? []) > 0);
    panels.push(...linePanels(layers, busy.length ? busy : [0], job, 'a suspect, on the mounts or nodes that both use', 'others'));
  }
  return panels.filter((panel) => panel.track.at.length > 1);
}

type Loss = NonNullable<Verdict['interference']>['resources'][number];
/** The greatest number of steps in a chart; longer curves are merged outside the zoomed span. */
const MOST_STEPS = 1000;

function service(loss: Loss, place: string, near: Series | undefined): Panel {
  const track = thinOut(loss, near && [near.start_ns, near.start_ns + (near.lines[0]?.mean.length ?? 0) * near.step_ns]);
  return {
    key: `service ${loss.resource}`, title: 'Its time per call', note: `against undisturbed, on ${place}`, unit: '×', tone: 'own', base: 1,
    ribbon: loss.steps_ns.length > MOST_STEPS, track,
  };
}

type Steps = Pick<Loss, 'steps_ns' | 'slice_ns' | 'service'>;
const groups = new WeakMap<Steps, Track>();

/** Appends steps to a track, `group` of them merged into one with minimum, mean and maximum. */
function appendGrouped({ steps_ns, service }: Steps, first: number, last: number, group: number, track: Track) {
  for (let at = first; at < last; at += group) {
    let [known, all, least, most] = [0, 0, Infinity, -Infinity];
    for (let i = at; i < Math.min(at + group, last); i += 1) {
      const value = service[i] ?? null;
      if (value === null) continue;
      known += 1;
      all += value;
      if (value < least) least = value;
      if (value > most) most = value;
    }
    track.at.push((steps_ns[at] ?? 0) / NS);
    track.mean.push(known ? all / known : null);
    track.low.push(known ? least : null);
    track.high.push(known ? most : null);
  }
}

/** Returns the index of the first step at or after an instant. */
function firstStepAt(steps_ns: readonly number[], time: number): number {
  let [low, high] = [0, steps_ns.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((steps_ns[middle] ?? Infinity) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns a long curve with its steps merged, but unmerged in the span `close` (ns). */
export function thinOut(loss: Steps, close: readonly [number, number] | undefined): Track {
  const { steps_ns, slice_ns } = loss;
  const length = steps_ns.length;
  const group = Math.max(Math.ceil(length / MOST_STEPS), 1);
  const coarse = groups.get(loss) ?? { at: [], mean: [], low: [], high: [] };
  if (!groups.has(loss)) { appendGrouped(loss, 0, length, group, coarse); groups.set(loss, coarse); }
  const [first, last] = close ? [Math.floor(firstStepAt(steps_ns, close[0]) / group), Math.ceil(firstStepAt(steps_ns, close[1]) / group)] : [0, 0];
  const near: Track = { at: [], mean: [], low: [], high: [] };
  appendGrouped(loss, first * group, Math.min(last * group, length), 1, near);
  const put = <T,>(of: readonly T[], by: readonly T[]) => [...of.slice(0, first), ...by, ...of.slice(last)];
  const track: Track = { at: put(coarse.at, near.at), mean: put(coarse.mean, near.mean), low: put(coarse.low, near.low), high: put(coarse.high, near.high) };
  track.at.push(((steps_ns.at(-1) ?? 0) + slice_ns) / NS);
  for (const line of [track.mean, track.low, track.high]) line.push(line.at(-1) ?? null);
  return track;
}

/** Returns the numbers of all charts in a span as a sheet, one row per step. */
export function panelSheet(panels: readonly Panel[], [from, to]: readonly [number, number]): { columns: string[]; rows: (string | number | null)[][] } {
  const rows = panels.flatMap(({ title, unit, track }) => track.at.slice(0, -1).flatMap((start, i) => {
    const end = track.at[i + 1] ?? start;
    return end > from && start < to ? [[title, unit, start, end, track.low[i] ?? null, track.mean[i] ?? null, track.high[i] ?? null]] : [];
  }));
  return { columns: ['series', 'unit', 'start_s', 'end_s', 'least', 'mean', 'most'], rows };
}
