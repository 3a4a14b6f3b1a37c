// The style of all charts over time. Only this file knows the options of uPlot.
import uPlot from 'uplot';
import { clock, rate } from '../../format/format';
import type { Panel } from './track';
import { parseColour } from '../grids/raster';
import { colour } from '../../shell/theme.svelte';
import { columnsOf, arraysOf, paintColumns, type Columns, type TrackArrays, type TraceStyle } from './trace';
import { viewport } from '../../shell/viewport.svelte';

/** Width next to the plot, px: labels at the left, a margin at the right. */
export const LEFT = 76;
export const RIGHT = 8;
const AXIS = 30;
/** Round steps of an axis of bytes: in powers of two, so that labels stay short. */
const ROUND = [1, 2, 5, 10, 20, 50, 100, 256, 512];
const BYTE_STEPS = [1, 1024, 1024 ** 2, 1024 ** 3, 1024 ** 4].flatMap((unit) => ROUND.map((n) => n * unit));
const short = (text: string) => text.replace(/\.0+(?= |$)/, '').replace(/(\.\d*?)0+(?= |$)/, '$1');
const font = (large: number) => `${Math.round(12 * large)}px Inter, system-ui, sans-serif`;

export function timeLabels(ticks: readonly number[]): string[] {
  if (ticks.every((t) => t % 60 === 0)) return ticks.map((t) => clock(t * 1e9).slice(0, 5));
  const parts = (of: number) => ticks.some((t) => Math.abs(t * of - Math.round(t * of)) > 1e-3);
  const cut = parts(1) ? (parts(10) ? (parts(100) ? 12 : 11) : 10) : 8;
  return ticks.map((t) => clock(t * 1e9, true).slice(0, cut));
}
/** Returns the labels of an axis; one that would be cut off at the end is left out. */
const fittingLabels = (u: uPlot, ticks: readonly number[], labels: string[]) => {
  const end = u.bbox.left + u.bbox.width + RIGHT * viewport.dots;
  return labels.map((text, at) => (u.valToPos(ticks[at] ?? 0, 'x', true) + (text.length * 3.4 * viewport.dots) > end ? '' : text));
};
export const valueLabels = (ticks: readonly number[], unit: string) => ticks.map((t) => (t === 0 ? '0' : short(rate(t, unit))));

function drawBaseLine(u: uPlot, base: number, stroke: string) {
  const y = u.valToPos(base, 'y', true);
  u.ctx.save();
  u.ctx.strokeStyle = stroke;
  u.ctx.setLineDash([4, 4]);
  u.ctx.beginPath();
  u.ctx.moveTo(u.bbox.left, y);
  u.ctx.lineTo(u.bbox.left + u.bbox.width, y);
  u.ctx.stroke();
  u.ctx.restore();
}

/** Returns the options of uPlot, which draws scales, axes and grid; this class draws the track as pixels. `large`: the zoom of the page. */
function options(panel: Panel, size: Size, last: boolean, large: number, hooks: uPlot.Hooks.Arrays): uPlot.Options {
  const [rule, soft] = [colour('rule'), colour('soft')];
  return {
    width: size.width * large,
    height: (size.height + (last ? AXIS : 0)) * large,
    padding: [8 * large, RIGHT * large, last ? 0 : 6 * large, 0],
    legend: { show: false },
    cursor: { show: false },
    tzDate: (s) => uPlot.tzDate(new Date(s * 1e3), 'Etc/UTC'),
    scales: { x: { time: true }, y: { range: (_u, low, high) => [low ?? 0, high ?? 1] } },
    axes: [
      { show: last, stroke: soft, font: font(large), grid: { show: false }, ticks: { stroke: rule, width: large, size: 5 * large }, size: AXIS * large, space: 90 * large, values: (u, ticks) => fittingLabels(u, ticks, timeLabels(ticks)) },
      { stroke: soft, font: font(large), size: LEFT * large, gap: 8 * large, grid: { stroke: rule, width: large }, ticks: { show: false }, space: Math.max(22, size.height / 5) * large, ...(panel.unit === 'bytes/s' ? { incrs: BYTE_STEPS } : {}), values: (_u, ticks) => valueLabels(ticks, panel.unit) },
    ],
    series: [{}],
    hooks,
  };
}

interface Size { width: number; height: number }
const LINE_WIDTH = 1.5;
const RIBBON_ALPHA = 0.3;
const HEADROOM = 1.06;

/** One chart of a stack. */
export class TimeChart {
  readonly chart: uPlot;
  #panel: Panel;
  #arraysOf: TrackArrays;
  #columns: Columns | undefined;
  #strip: CanvasImageSource | undefined;
  readonly #picture = new OffscreenCanvas(1, 1);
  #image: ImageData | undefined;
  readonly #look: TraceStyle;

  constructor(panel: Panel, size: Size, last: boolean, slot: HTMLElement) {
    this.#panel = panel;
    this.#arraysOf = arraysOf(panel.track);
    const tone = parseColour(colour(panel.tone));
    this.#look = { line: tone, fill: panel.base === undefined ? parseColour(colour(`${panel.tone}-soft`)) : null, veil: RIBBON_ALPHA, half: (LINE_WIDTH * viewport.dots) / 2 };
    const soft = colour('soft');
    const large = viewport.zoom;
    this.chart = new uPlot(options(panel, size, last, large, {
      drawClear: [(u) => this.#shade(u)],
      draw: [(u) => { this.#trace(u); if (panel.base !== undefined) drawBaseLine(u, panel.base, soft); }],
    }), [[0, 1]], slot);
    // uPlot does not know the zoom of the page and would be blurred: it draws at the larger size, and its zoom is undone.
    this.chart.root.style.setProperty('zoom', String(1 / large));
  }

  /** Draws a span, s; `strip`: the lost time as a picture to be stretched. */
  show(panel: Panel, from: number, to: number, strip: CanvasImageSource) {
    if (panel !== this.#panel) [this.#panel, this.#arraysOf] = [panel, arraysOf(panel.track)];
    this.#strip = strip;
    const width = Math.round(this.chart.bbox.width);
    this.#columns = columnsOf(this.#arraysOf, from, to, Math.max(width, 1), Math.floor(this.#look.half));
    const max = (this.#columns.peak || 1) * HEADROOM;
    this.chart.batch(() => {
      this.chart.setScale('x', { min: from, max: to });
      this.chart.setScale('y', { min: 0, max });
    });
  }

  destroy() { this.chart.destroy(); }

  #shade({ ctx, bbox }: uPlot) {
    if (!this.#strip) return;
    ctx.imageSmoothingEnabled = false;
    ctx.drawImage(this.#strip, bbox.left, bbox.top, bbox.width, bbox.height);
  }

  #trace({ ctx, bbox, scales }: uPlot) {
    const size = { width: Math.round(bbox.width), height: Math.round(bbox.height), below: Math.ceil(this.#look.half) };
    if (!this.#columns || this.#columns.least.length !== size.width) return;
    const tall = size.height + size.below;
    if (this.#image?.width !== tall || this.#image.height !== size.width) {
      this.#image = new ImageData(tall, size.width);
      [this.#picture.width, this.#picture.height] = [tall, size.width];
    }
    paintColumns(this.#columns, size, scales['y']?.max ?? 1, this.#look, this.#panel.ribbon, new Uint32Array(this.#image.data.buffer));
    this.#picture.getContext('2d')?.putImageData(this.#image, 0, 0);
    ctx.imageSmoothingEnabled = false;
    ctx.setTransform(0, 1, 1, 0, Math.round(bbox.left), Math.round(bbox.top)); // the picture is transposed
    ctx.drawImage(this.#picture, 0, 0);
    ctx.setTransform(1, 0, 0, 1, 0, 0);
  }
}
