// Exports a chart of uPlot as SVG elements, with the same axes and steps.
import type uPlot from 'uplot';
import type { Band } from './bands';
import { valueLabels, LEFT, timeLabels } from './time-chart';
import { escapeXml } from '../../export/export';
import type { Panel, Track } from './track';
import { colour } from '../../shell/theme.svelte';
import { viewport } from '../../shell/viewport.svelte';

const n = (value: number) => String(Math.round(value * 100) / 100);

/** Returns steps as a path, with gaps where there is no value. */
export function stepPath(track: Pick<Track, 'at'>, values: readonly (number | null)[], x: (t: number) => number, y: (v: number) => number, floor: number | null): string {
  let path = '';
  let open = false;
  values.slice(0, -1).forEach((value, i) => {
    const [a, b] = [n(x(track.at[i] ?? 0)), n(x(track.at[i + 1] ?? 0))];
    if (value === null) {
      if (open && floor !== null) path += `V${n(floor)}`;
      open = false;
      return;
    }
    if (!open) path += floor === null ? `M${a} ${n(y(value))}` : `M${a} ${n(floor)}V${n(y(value))}`;
    else path += `V${n(y(value))}`;
    path += `H${b}`;
    open = true;
  });
  return open && floor !== null ? `${path}V${n(floor)}` : path;
}

/** Returns the ticks of an axis as it was drawn last; uPlot has them in a field that its types omit. */
function ticks(chart: uPlot, axis: number): number[] {
  const { _splits } = chart.axes[axis] as uPlot.Axis & { _splits?: (number | null)[] };
  return (_splits ?? []).filter((tick): tick is number => tick !== null);
}

export function timeChartSvg(chart: uPlot, panel: Panel, bands: readonly Band[]): string {
  const { min, max } = chart.scales['x'] ?? {};
  if (min === undefined || max === undefined || min === null || max === null) return '';
  const scale = viewport.dots;
  const [left, top, width, height] = [chart.bbox.left, chart.bbox.top, chart.bbox.width, chart.bbox.height].map((px) => px / scale) as [number, number, number, number];
  const x = (t: number) => left + ((t - min) / (max - min)) * width;
  const y = (v: number) => top + chart.valToPos(v, 'y') / viewport.zoom;
  const text = (at: number, high: number, words: string, anchor: string) => `<text x="${n(at)}" y="${n(high)}" text-anchor="${anchor}" font-family="Inter, system-ui, sans-serif" font-size="12" fill="${colour('soft')}">${escapeXml(words)}</text>`;
  const values = ticks(chart, 1);
  const instants = chart.axes[0]?.show === false ? [] : ticks(chart, 0).filter((t) => t >= min && t <= max);
  const inside = panel.track.at.flatMap((t, i) => ((panel.track.at[i + 1] ?? t) >= min && t <= max ? [i] : []));
  const [first, last] = [inside[0] ?? 0, (inside.at(-1) ?? 0) + 2];
  const part = { at: panel.track.at.slice(first, last) };
  const cut = (line: readonly (number | null)[]) => line.slice(first, last);
  const floor = top + height;
  return [
    `<svg x="${n(left)}" y="${n(top)}" width="${n(width)}" height="${n(height)}" viewBox="${n(left)} ${n(top)} ${n(width)} ${n(height)}">`,
    ...bands.filter((band) => band.to > min && band.from < max).map((band) => `<rect x="${n(x(band.from))}" y="${n(top)}" width="${n(Math.max(x(band.to) - x(band.from), 1))}" height="${n(height)}" fill="${colour('disturbed')}" opacity="${n(band.weight)}"/>`),
    ...values.map((v) => `<path d="M${n(left)} ${n(y(v))}h${n(width)}" stroke="${colour('rule')}"/>`),
    panel.base === undefined ? `<path d="${stepPath(part, cut(panel.track.mean), x, y, floor)}" fill="${colour(`${panel.tone}-soft`)}"/>` : `<path d="M${n(left)} ${n(y(panel.base))}h${n(width)}" stroke="${colour('soft')}" stroke-dasharray="4 4"/>`,
    panel.ribbon ? `<path d="${stepPath(part, cut(panel.track.high), x, y, null)}" fill="none" stroke="${colour(panel.tone)}" opacity="0.35"/>` : '',
    `<path d="${stepPath(part, cut(panel.track.mean), x, y, null)}" fill="none" stroke="${colour(panel.tone)}" stroke-width="1.5"/>`,
    '</svg>',
    ...valueLabels(values, panel.unit).map((words, i) => text(LEFT - 8, y(values[i] ?? 0) + 4, words, 'end')),
    ...timeLabels(instants).map((words, i) => text(x(instants[i] ?? 0), floor + 20, words, 'middle')),
  ].join('');
}
