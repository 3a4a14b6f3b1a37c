// Where the planes, cuboids and blocks of a torus lie: nested boxes, one level for each dimension of the order. Pure.
import type { Box, BoxKind, Ruler } from './picture';
import type { Torus } from './torus';

export type Direction = 'across' | 'down' | 'none';

/** What differs between the detailed and the composite plane view; lengths in units. */
export interface Plan {
  /** Of each level of the order, how its places are laid out; 'none': they are collapsed. */
  directions: readonly Direction[];
  /** Distance of neighbours on the levels that have no boxes of their own. */
  pitch: readonly number[];
  /** From the contents of the innermost box to its edge. */
  pad: readonly [number, number];
  /** What each further box adds to it, along its own direction and across it. */
  more: readonly [number, number];
  /** Between two boxes, along the direction of their order. */
  run: number;
}

export interface Layout {
  width: number; height: number;
  /** Of each dimension of the shape, the way from one place to the next. */
  dx: number[]; dy: number[];
  /** Of each number of levels (from the innermost): contents' size and the way from there to the box's edge. */
  levels: { width: number; height: number; padX: number; padY: number }[];
  /** Of the first node. */
  x: number; y: number;
}

/** The picture is at most this many times as wide as it is high, else its rows and columns are swapped. */
const WIDEST = 10;

/** Returns the directions of the levels beyond the third: the fourth across, then down; or swapped, if that is too wide. */
export function outerDirections(sizes: readonly number[], order: readonly number[]): Direction[] {
  const size = (level: number) => sizes[order[level] ?? -1] ?? 1;
  const across = (size(0) + 1) * size(2) * size(3);
  const down = (size(1) + 1) * size(4) * size(5);
  const swapped = order.length > 3 && across > WIDEST * down;
  return order.slice(3).map((_, at) => ((at === 0) !== swapped ? 'across' : 'down'));
}

/** Lays the levels of an order out. */
export function layOut(sizes: readonly number[], order: readonly number[], plan: Plan): Layout {
  const [dx, dy] = [sizes.map(() => 0), sizes.map(() => 0)];
  let [width, height, [padX, padY]] = [0, 0, plan.pad];
  const levels: Layout['levels'] = [];
  order.forEach((dimension, level) => {
    const size = sizes[dimension] ?? 1;
    const [direction, pitch] = [plan.directions[level], plan.pitch[level]];
    const step = pitch ?? (direction === 'across' ? width + 2 * padX : height + 2 * padY) + plan.run;
    if (direction === 'across') { dx[dimension] = step; width += (size - 1) * step; }
    if (direction === 'down') { dy[dimension] = step; height += (size - 1) * step; }
    if (pitch === undefined) {
      const [along, across] = size > 1 ? plan.more : [0, 0];
      padX += direction === 'across' ? along : across;
      padY += direction === 'down' ? along : across;
    }
    levels.push({ width, height, padX, padY });
  });
  const outer = levels.at(-1) ?? { width, height, padX, padY };
  return { width: width + 2 * outer.padX, height: height + 2 * outer.padY, dx, dy, levels, x: outer.padX, y: outer.padY };
}

/** Returns the boxes around each group of places that the first `count` levels span. */
export function boxesOf(torus: Torus, order: readonly number[], layout: Layout, count: number, kind: BoxKind): Box[] {
  const size = layout.levels[count - 1];
  if (!size) return [];
  const outer = order.slice(count);
  const boxes: Box[] = [];
  const total = outer.reduce((all, dimension) => all * (torus.sizes[dimension] ?? 1), 1);
  for (let of = 0; of < total; of += 1) {
    let [rest, x, y] = [of, layout.x, layout.y];
    for (const dimension of outer) {
      const at = rest % (torus.sizes[dimension] ?? 1);
      rest = Math.floor(rest / (torus.sizes[dimension] ?? 1));
      x += at * (layout.dx[dimension] ?? 0);
      y += at * (layout.dy[dimension] ?? 0);
    }
    boxes.push({ kind, of, x: x - size.padX, y: y - size.padY, width: size.width + 2 * size.padX, height: size.height + 2 * size.padY });
  }
  return boxes;
}

/** Returns the scales of the levels beyond the second that run in a direction, the outermost first. */
export function rulersOf(torus: Torus, order: readonly number[], layout: Layout, plan: Plan, direction: Direction, from: number): Ruler[] {
  const steps = direction === 'across' ? layout.dx : layout.dy;
  const rulers: Ruler[] = [];
  // From the outermost level inwards, each place of it holds the places of the next.
  let begins = [direction === 'across' ? layout.x : layout.y];
  for (let level = order.length - 1; level >= from; level -= 1) {
    const dimension = order[level] ?? 0;
    const [size, inner] = [torus.sizes[dimension] ?? 1, layout.levels[level - 1]];
    if (plan.directions[level] !== direction || size < 2) continue;
    const [length, pad] = inner ? (direction === 'across' ? [inner.width, inner.padX] : [inner.height, inner.padY]) : [0, 0.5];
    const places = begins.flatMap((begin) => Array.from({ length: size }, (_, at) => [begin + at * (steps[dimension] ?? 0), at] as const));
    rulers.push({ name: torus.names[dimension] ?? '', ticks: places.map(([begin, at]) => ({ from: begin - pad, to: begin + length + pad, text: String(at) })) });
    begins = places.map(([begin]) => begin);
  }
  return rulers;
}
