// Draws the timeline of segments on a canvas or as SVG, and finds the segment at a position.
import { escapeXml } from '../../../export/export';
import { clock } from '../../../format/format';
import { roundInstants, durationLabel, axisPosition, type Axis } from '../../../charts/axis';
import type { Points, Segments } from '../../../api/api-types';

export interface Pen {
  rect: (x: number, y: number, width: number, height: number, colour: string, alpha: number) => void;
  line: (x1: number, y1: number, x2: number, y2: number, colour: string, dashed: boolean) => void;
  mark: (x: number, y: number, colour: string) => void;
  text: (x: number, y: number, text: string, colour: string, align: 'left' | 'center' | 'right') => void;
}
export interface Room { width: number; height: number; left: number; right: number; top: number; bottom: number }
export interface Colours { own: string; others: string; rule: string; soft: string }
export interface Scene { segments: Segments; axis: Axis; from: number; to: number; room: Room; threshold: boolean }
/** A segment of an answer: whether it was disturbed, and its index in its list. */
export interface Pointed { hit: boolean; at: number }

const DOT = 3;
const MARK = 4;
export const FONT = '12px Inter, system-ui, sans-serif';
/** Thresholds that differ by a smaller share are drawn as one line. */
const SAME = 0.05;

const begin = (scene: Scene) => scene.segments.start_ns / 1e9;
function across(scene: Scene): (at: number) => number {
  const { left, right, width } = scene.room;
  const [start, scale] = [begin(scene), (width - left - right) / (scene.to - scene.from)];
  return (at) => left + (at - (scene.from - start)) * scale;
}
function down(scene: Scene): (value: number) => number {
  const { top, bottom, height } = scene.room;
  return (value) => height - bottom - axisPosition(scene.axis, value) * (height - top - bottom);
}

export function draw(pen: Pen, scene: Scene, colours: Colours) {
  const { segments, room } = scene;
  const [x, y] = [across(scene), down(scene)];
  const end = room.width - room.right;
  for (const tick of scene.axis.ticks) {
    pen.line(room.left, y(tick), end, y(tick), colours.rule, false);
    pen.text(room.left - 8, y(tick), tick === 0 ? '0' : durationLabel(tick), colours.soft, 'right');
  }
  const ticks = roundInstants(scene.from, scene.to, (end - room.left) / 90);
  const step = (ticks[1] ?? scene.to) - (ticks[0] ?? scene.from);
  for (const at of ticks) {
    const tickX = x(at - begin(scene));
    pen.line(tickX, room.height - room.bottom, tickX, room.height - room.bottom + 5, colours.rule, false);
    pen.text(tickX, room.height - room.bottom + 16, step < 1 ? clock(at * 1e9, true) : step % 60 === 0 ? clock(at * 1e9).slice(0, 5) : clock(at * 1e9), colours.soft, 'center');
  }
  bodies(pen, scene, segments.usual, colours.own, 0.75, x, y);
  if (scene.threshold) excess(pen, scene, colours.others, x, y);
  bodies(pen, scene, segments.hits, colours.others, 0.9, x, y);
  marks(pen, scene, colours.others, x, y);
  if (scene.threshold) thresholds(pen, scene, colours, x, y);
}

type Scale = (value: number) => number;

/** Draws segments: the duration is both the height and the length of a bar. */
function bodies(pen: Pen, scene: Scene, points: Points, colour: string, alpha: number, x: Scale, y: Scale) {
  const [left, end] = [scene.room.left, scene.room.width - scene.room.right];
  for (let i = 0; i < points.at_s.length; i += 1) {
    const [at, took] = [points.at_s[i] ?? 0, points.seconds[i] ?? 0];
    const [a, b] = [Math.max(x(at), left), Math.min(x(at + took), end)];
    if (b >= left && a <= end) pen.rect(a, y(took) - DOT / 2, Math.max(b - a, DOT), DOT, colour, alpha);
  }
}

/** Draws losses: bars from the duration down to the expected duration. */
function excess(pen: Pen, scene: Scene, colour: string, x: Scale, y: Scale) {
  const [left, end, lost] = [scene.room.left, scene.room.width - scene.room.right, scene.segments.hits];
  for (let i = 0; i < lost.at_s.length; i += 1) {
    const [at, took] = [lost.at_s[i] ?? 0, lost.seconds[i] ?? 0];
    const [a, b] = [Math.max(x(at), left), Math.min(x(at + took), end)];
    if (b >= left && a <= end) pen.rect(a, y(took), Math.max(b - a, DOT), y(took - (lost.lost_s[i] ?? 0)) - y(took), colour, 0.28);
  }
}

/** Of marks that are closer together than this, px, only one is drawn. */
const APART = 3;

function marks(pen: Pen, scene: Scene, colour: string, x: Scale, y: Scale) {
  const [left, end, lost] = [scene.room.left, scene.room.width - scene.room.right, scene.segments.hits];
  const columns = Math.ceil(scene.room.width / APART);
  const taken = new Uint8Array(columns * Math.ceil(scene.room.height / APART + 1));
  for (let i = 0; i < lost.at_s.length; i += 1) {
    const [at, took] = [lost.at_s[i] ?? 0, lost.seconds[i] ?? 0];
    const [a, b] = [Math.max(x(at), left), Math.min(x(at + took), end)];
    if (b < left || a > end) continue;
    const [across, down] = [(a + b) / 2, y(took)];
    const cell = Math.floor(down / APART) * columns + Math.floor(across / APART);
    if (taken[cell]) continue;
    taken[cell] = 1;
    pen.mark(across, down, colour);
  }
}

function thresholds(pen: Pen, scene: Scene, colours: Colours, x: (at: number) => number, y: (value: number) => number) {
  const { room, segments } = scene;
  const known = [segments.usual, segments.hits].flatMap((points) => points.at_s.flatMap((at, i) => {
    const value = points.threshold_s[i];
    return value === null || value === undefined ? [] : [[at, value] as const];
  }));
  const values = known.map(([, value]) => value).sort((a, b) => a - b);
  const middle = values[Math.floor(values.length / 2)];
  if (middle === undefined) return;
  if ((values.at(-1) ?? 0) - (values[0] ?? 0) <= SAME * middle) {
    pen.line(room.left, y(middle), room.width - room.right, y(middle), colours.others, true);
    return;
  }
  for (const [at, value] of known) {
    const startX = x(at);
    if (startX >= room.left && startX <= room.width - room.right) pen.line(startX - 3, y(value), startX + 3, y(value), colours.others, false);
  }
}

/** Returns the segment nearest to a position; null if none is within `reach` px. */
export function nearest(scene: Scene, px: number, py: number, reach = 14): Pointed | null {
  const [x, y] = [across(scene), down(scene)];
  let [best, segment] = [reach * reach, null as Pointed | null];
  for (const hit of [true, false]) {
    const points = hit ? scene.segments.hits : scene.segments.usual;
    points.at_s.forEach((start, at) => {
      const took = points.seconds[at] ?? 0;
      const [a, b] = [x(start), x(start + took)];
      const aside = px < a ? a - px : px > b ? px - b : 0;
      const far = aside ** 2 + (y(took) - py) ** 2;
      if (far < best) [best, segment] = [far, { hit, at }];
    });
  }
  return segment;
}

export function canvasPen(context: CanvasRenderingContext2D): Pen {
  context.font = FONT;
  context.textBaseline = 'middle';
  // Setting a colour parses its text, so it is set only when it changes.
  let [filled, faint] = ['', 1];
  const fill = (colour: string, alpha: number) => {
    if (colour !== filled) context.fillStyle = filled = colour;
    if (alpha !== faint) context.globalAlpha = faint = alpha;
  };
  return {
    rect(x, y, width, height, colour, alpha) {
      fill(colour, alpha);
      context.fillRect(x, y, width, height);
    },
    line(x1, y1, x2, y2, colour, dashed) {
      fill(filled || colour, 1);
      context.strokeStyle = colour;
      context.lineWidth = dashed ? 1.5 : 1;
      context.setLineDash(dashed ? [6, 4] : []);
      context.beginPath();
      context.moveTo(x1, y1);
      context.lineTo(x2, y2);
      context.stroke();
    },
    mark(x, y, colour) {
      fill(colour, 1);
      context.beginPath();
      context.moveTo(x, y - MARK);
      context.lineTo(x + MARK, y + MARK * 0.8);
      context.lineTo(x - MARK, y + MARK * 0.8);
      context.fill();
    },
    text(x, y, text, colour, align) {
      fill(colour, 1);
      context.textAlign = align;
      context.fillText(text, x, y);
    },
  };
}

const n = (value: number) => String(Math.round(value * 10) / 10);
/** Returns a pen that writes SVG elements; `text()` returns them. */
export function svgPen(): { pen: Pen; text: () => string } {
  const parts: string[] = [];
  const pen: Pen = {
    rect: (x, y, width, height, colour, alpha) => { parts.push(`<rect x="${n(x)}" y="${n(y)}" width="${n(width)}" height="${n(height)}" fill="${colour}" opacity="${alpha}"/>`); },
    line: (x1, y1, x2, y2, colour, dashed) => { parts.push(`<path d="M${n(x1)} ${n(y1)}L${n(x2)} ${n(y2)}" stroke="${colour}"${dashed ? ' stroke-width="1.5" stroke-dasharray="6 4"' : ''}/>`); },
    mark: (x, y, colour) => { parts.push(`<path d="M${n(x)} ${n(y - MARK)}l${MARK} ${MARK * 1.8}h${-2 * MARK}z" fill="${colour}"/>`); },
    text: (x, y, text, colour, align) => { parts.push(`<text x="${n(x)}" y="${n(y + 4)}" fill="${colour}" font-family="Inter, system-ui, sans-serif" font-size="12" text-anchor="${{ left: 'start', center: 'middle', right: 'end' }[align]}">${escapeXml(text)}</text>`); },
  };
  return { pen, text: () => parts.join('') };
}
