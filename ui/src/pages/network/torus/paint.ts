// Draws a picture of a torus on a canvas: one path for each ink, only what is on the screen.
import type { Placing } from '../../../charts/navigation/plane-zoom';
import type { BoxKind, Ink, Picture, Ruler, Sorted } from './picture';

/** An ink as the canvas takes it. */
export interface Stroke { style: string; /** 0 to 1. */ width: number; faint: boolean }
export interface Paints {
  strokes: readonly Stroke[];
  card: string; ink: string; soft: string; faint: string; rule: string; mark: string;
  boxes: Record<BoxKind, { edge: string; fill: string | null }>;
}
/** The part of a canvas that a picture is in, px of the page. */
export interface Room { x: number; y: number; width: number; height: number }

/** Below this distance of two neighbours, px, nodes and idle links are left out. */
const COARSE = 3.5;
/** From this distance on, lines have heads. */
const FINE = 30;
/** The thickest line, px. */
const WIDEST = 9;
const FONT = '12px Inter, system-ui, sans-serif';

export function strokesOf(inks: readonly Ink[], ramp: Uint32Array, colour: (token: string) => string, idle: string): Stroke[] {
  return inks.map((ink) => {
    const code = ramp[Math.round((0.22 + 0.78 * ink.shade) * 255)] ?? 0;
    const rgb = [code & 255, (code >> 8) & 255, (code >> 16) & 255];
    const style = ink.colour === 'job' ? colour(ink.token) : ink.colour === 'ramp' ? `rgb(${rgb.join(' ')})` : idle;
    return { style, width: ink.width, faint: ink.pale };
  });
}

/** Draws everything but what the pointer and the keys have chosen. */
export function paintPicture(context: CanvasRenderingContext2D, picture: Picture, sorted: Sorted, paints: Paints, at: Placing, room: Room): void {
  context.save();
  context.beginPath();
  context.rect(room.x, room.y, room.width, room.height);
  context.clip();
  const [left, top, scale] = [room.x + at.left, room.y + at.top, at.scale];
  paintBoxes(context, picture, paints, left, top, scale, room);
  paintOutlines(context, picture, paints, left, top, scale);
  paintLines(context, picture, sorted, paints, left, top, scale, room);
  if (scale >= COARSE) paintNodes(context, picture, paints, left, top, scale, room);
  paintLabels(context, picture, paints, left, top, scale);
  context.restore();
}

function paintBoxes(context: CanvasRenderingContext2D, picture: Picture, paints: Paints, left: number, top: number, scale: number, room: Room) {
  context.lineWidth = 1;
  for (const box of picture.boxes) {
    const { edge, fill } = paints.boxes[box.kind];
    const [x, y, width, height] = [left + box.x * scale, top + box.y * scale, box.width * scale, box.height * scale];
    if (x > room.x + room.width || y > room.y + room.height || x + width < room.x || y + height < room.y) continue;
    if (fill !== null) { context.fillStyle = fill; context.fillRect(x, y, width, height); }
    if (edge === 'none' || Math.min(width, height) < 4) continue;
    context.strokeStyle = edge;
    context.strokeRect(Math.round(x) + 0.5, Math.round(y) + 0.5, Math.round(width), Math.round(height));
  }
}

function paintOutlines(context: CanvasRenderingContext2D, picture: Picture, paints: Paints, left: number, top: number, scale: number) {
  if (!picture.outlines.length) return;
  context.beginPath();
  for (const outline of picture.outlines) {
    for (let at = 0; at < outline.length; at += 2) {
      const [x, y] = [left + (outline[at] ?? 0) * scale, top + (outline[at + 1] ?? 0) * scale];
      if (at === 0) context.moveTo(x, y); else context.lineTo(x, y);
    }
    context.closePath();
  }
  context.strokeStyle = paints.boxes.polygon.edge;
  context.lineWidth = 1;
  context.stroke();
}

/** Returns the width of a line on the screen, px. */
export const lineWidth = (width: number, thick: number, scale: number) =>
  width === 0 ? Math.min(Math.max(thick * scale * 0.14, 0.6), 1.4) : Math.max(Math.min(thick * scale, WIDEST) * (0.35 + 0.65 * width), 0.9);

function paintLines(context: CanvasRenderingContext2D, picture: Picture, sorted: Sorted, paints: Paints, left: number, top: number, scale: number, room: Room) {
  const { segments } = picture;
  const { order, starts } = sorted;
  // What is on the screen, in units.
  const [x0, y0] = [(room.x - left) / scale, (room.y - top) / scale];
  const [x1, y1] = [x0 + room.width / scale, y0 + room.height / scale];
  context.lineCap = 'butt';
  // The pale ones first: they are the second half of the inks.
  const half = paints.strokes.length / 2;
  for (let turn = 0; turn < paints.strokes.length; turn += 1) {
    const ink = turn < half ? turn + half : turn - half;
    const stroke = paints.strokes[ink];
    const [begin, end] = [starts[ink] ?? 0, starts[ink + 1] ?? 0];
    if (!stroke || begin === end || (stroke.width === 0 && scale < COARSE)) continue;
    context.beginPath();
    for (let at = begin; at < end; at += 1) {
      const segment = 4 * (order[at] ?? 0);
      const [ax, ay, bx, by] = [segments[segment] ?? 0, segments[segment + 1] ?? 0, segments[segment + 2] ?? 0, segments[segment + 3] ?? 0];
      if ((ax < x0 && bx < x0) || (ay < y0 && by < y0) || (ax > x1 && bx > x1) || (ay > y1 && by > y1)) continue;
      context.moveTo(left + ax * scale, top + ay * scale);
      context.lineTo(left + bx * scale, top + by * scale);
    }
    context.strokeStyle = stroke.style;
    context.globalAlpha = stroke.faint ? 0.22 : 1;
    context.lineWidth = lineWidth(stroke.width, picture.thick, scale);
    context.stroke();
    if (scale >= FINE && stroke.width > 0) paintHeads(context, picture, sorted, stroke, begin, end, left, top, scale);
  }
  context.globalAlpha = 1;
}

/** Draws a head at the end of each line, on its outer side: the two directions of a cable stay apart. */
function paintHeads(context: CanvasRenderingContext2D, picture: Picture, { order }: Sorted, stroke: Stroke, begin: number, end: number, left: number, top: number, scale: number) {
  const size = Math.min(lineWidth(stroke.width, picture.thick, scale) * 0.9 + 2.5, 0.16 * scale);
  context.fillStyle = stroke.style;
  context.beginPath();
  for (let at = begin; at < end; at += 1) {
    const segment = picture.segments.subarray(4 * (order[at] ?? 0), 4 * (order[at] ?? 0) + 4);
    const [ax, ay, bx, by] = [segment[0] ?? 0, segment[1] ?? 0, segment[2] ?? 0, segment[3] ?? 0];
    const long = Math.hypot(bx - ax, by - ay) || 1;
    const [dx, dy] = [(bx - ax) / long, (by - ay) / long];
    const [x, y] = [left + bx * scale, top + by * scale];
    context.moveTo(x, y);
    context.lineTo(x - dx * size * 1.5 - dy * size, y - dy * size * 1.5 + dx * size);
    context.lineTo(x - dx * size * 1.5, y - dy * size * 1.5);
    context.closePath();
  }
  context.fill();
}

function paintNodes(context: CanvasRenderingContext2D, picture: Picture, paints: Paints, left: number, top: number, scale: number, room: Room) {
  if (picture.outlines.length) return; // they are polygons
  const { nodes } = picture;
  const size = Math.max((scale < 20 ? 0.24 : 0.3) * scale, 1.5);
  context.fillStyle = scale < 20 ? paints.faint : paints.soft; // the links come first
  for (let at = 0; at < nodes.length; at += 2) {
    const [x, y] = [left + (nodes[at] ?? 0) * scale, top + (nodes[at + 1] ?? 0) * scale];
    if (x < room.x - size || y < room.y - size || x > room.x + room.width + size || y > room.y + room.height + size) continue;
    context.fillRect(x - size / 2, y - size / 2, size, size);
  }
}

function paintLabels(context: CanvasRenderingContext2D, picture: Picture, paints: Paints, left: number, top: number, scale: number) {
  if (scale < 14) return;
  context.font = FONT;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.fillStyle = paints.soft;
  for (const { x, y, text } of picture.labels) context.fillText(text, left + x * scale, top + y * scale);
}

/** Height of a scale above the picture; width of one next to it, px. */
export const RULER = 17;

/** Draws the scales above and to the left of a picture; where ticks are too close, only their dimension is named. */
export function paintRulers(context: CanvasRenderingContext2D, picture: Picture, paints: Paints, at: Placing, room: Room): void {
  context.font = FONT;
  context.textBaseline = 'middle';
  const draw = (ruler: Ruler, number: number, across: boolean) => {
    // Close to the picture, which may be narrower than its room.
    const middle = (number + 0.5) * RULER - 1 + Math.max(across ? at.top : at.left, 0);
    const [origin, length, start] = across ? [room.x, room.width, at.left] : [room.y, room.height, at.top];
    context.textAlign = 'center';
    context.fillStyle = paints.ink;
    const before = origin + Math.max(start, 0) - RULER / 2;
    if (across) context.fillText(ruler.name, before, middle); else context.fillText(ruler.name, middle, before);
    context.fillStyle = paints.soft;
    context.strokeStyle = paints.rule;
    context.lineWidth = 1;
    for (const { from, to, text } of ruler.ticks) {
      const [begin, end] = [Math.max(start + from * at.scale, 0), Math.min(start + to * at.scale, length)];
      if (end - begin < 8 + 5 * text.length) continue;
      const place = origin + (begin + end) / 2;
      if (across) context.fillText(text, place, middle); else context.fillText(text, middle, place);
      if (end - begin < 40) continue; // a bracket over what it spans
      for (const [a, b] of [[origin + begin + 2, place - 9], [place + 9, origin + end - 2]] as const) {
        context.beginPath();
        if (across) { context.moveTo(a, middle); context.lineTo(b, middle); } else { context.moveTo(middle, a); context.lineTo(middle, b); }
        context.stroke();
      }
    }
  };
  picture.top.forEach((ruler, number) => draw(ruler, number, true));
  picture.left.forEach((ruler, number) => draw(ruler, number, false));
}

/** What is chosen or pointed at. */
export interface Marks { lines: readonly number[]; hovered: number; box: { kind: BoxKind; of: number } | null; place: number }

/** Draws a ring around what is chosen. */
export function paintMarks(context: CanvasRenderingContext2D, picture: Picture, marks: Marks, paints: Paints, at: Placing, room: Room): void {
  context.save();
  context.beginPath();
  context.rect(room.x, room.y, room.width, room.height);
  context.clip();
  const [left, top, scale] = [room.x + at.left, room.y + at.top, at.scale];
  const box = marks.box && picture.boxes.find(({ kind, of }) => kind === marks.box?.kind && of === marks.box.of);
  context.strokeStyle = paints.mark;
  context.lineWidth = 2;
  if (box) context.strokeRect(left + box.x * scale - 1, top + box.y * scale - 1, box.width * scale + 2, box.height * scale + 2);
  const node = picture.places.indexOf(marks.place);
  if (node >= 0) {
    context.beginPath();
    context.arc(left + (picture.nodes[2 * node] ?? 0) * scale, top + (picture.nodes[2 * node + 1] ?? 0) * scale, Math.max((picture.outlines.length ? 0.46 : 0.3) * scale, 4), 0, 7);
    context.stroke();
  }
  if (marks.hovered >= 0) paintMarkedLine(context, picture, marks.hovered, 1.5, paints, left, top, scale);
  for (const line of marks.lines) paintMarkedLine(context, picture, line, 2.5, paints, left, top, scale);
  context.restore();
}

/** Draws a border around a line; what lies between, on the canvas below, is seen through it. */
function paintMarkedLine(context: CanvasRenderingContext2D, picture: Picture, line: number, border: number, paints: Paints, left: number, top: number, scale: number) {
  const width = lineWidth(1, picture.thick, scale) + 2;
  context.lineCap = 'round';
  for (const [wide, way] of [[width + 2 * border, 'source-over'], [width, 'destination-out']] as const) {
    context.beginPath();
    for (let at = picture.lines.indexOf(line); at >= 0 && picture.lines[at] === line; at += 1) {
      const segment = picture.segments.subarray(4 * at, 4 * at + 4);
      context.moveTo(left + (segment[0] ?? 0) * scale, top + (segment[1] ?? 0) * scale);
      context.lineTo(left + (segment[2] ?? 0) * scale, top + (segment[3] ?? 0) * scale);
    }
    context.globalCompositeOperation = way;
    context.strokeStyle = paints.mark;
    context.lineWidth = wide;
    context.stroke();
  }
  context.globalCompositeOperation = 'source-over';
}
