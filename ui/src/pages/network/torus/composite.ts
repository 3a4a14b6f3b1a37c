// The composite plane view: each plane is a bar, the links beyond the planes are summed up in lines between them. Pure.
import { layOut, outerDirections, rulersOf, type Layout, type Plan } from './layout';
import { PictureLines, type Box, type Picture } from './picture';
import { nestedBoxes } from './planes';
import { coordinate, isLoopBack, planeCoordinates, planeCount, slotOf, type Torus } from './torus';

/** Distance of the two directions of a line from its middle. */
const APART = 0.17;
/** Length of the ends of a loop-back beyond the edge. */
const STUB = 0.75;
/** From a bar's first and last place to its ends. */
const CAP = 0.4;

/** The first dimension runs down along the bars, the third orders the bars, the second is collapsed. */
export function compositePlan(sizes: readonly number[], order: readonly number[]): Plan {
  return { directions: ['down', 'none', 'across', ...outerDirections(sizes, order)], pitch: [1, 1, 2.2], pad: [STUB + 0.35, 0.75], more: [STUB + 0.4, 0.4], run: 2 };
}

export function compositePicture(torus: Torus, order: readonly number[]): Picture {
  const plan = compositePlan(torus.sizes, order);
  const layout = layOut(torus.sizes, order, plan);
  const drawn = new PictureLines();
  for (let level = 2; level < order.length; level += 1) drawLevel(torus, order, plan, layout, level, drawn);
  return {
    width: layout.width, height: layout.height, thick: 0.27, shows: 'mean', ...drawn.parts, boxes: [...nestedBoxes(torus, order, layout, false), ...bars(torus, order, layout)],
    nodes: new Float32Array(0), places: new Int32Array(0), outlines: [], labels: [],
    top: rulersOf(torus, order, layout, plan, 'across', 2), left: rulersOf(torus, order, layout, plan, 'down', 1),
  };
}

function bars(torus: Torus, order: readonly number[], layout: Layout): Box[] {
  const long = ((torus.sizes[order[0] ?? -1] ?? 1) - 1) * (layout.dy[order[0] ?? -1] ?? 0);
  return Array.from({ length: planeCount(torus, order) }, (_, of) => {
    let [x, y] = [layout.x, layout.y];
    planeCoordinates(torus, order, of).forEach((at, level) => {
      x += at * (layout.dx[order[level + 2] ?? 0] ?? 0);
      y += at * (layout.dy[order[level + 2] ?? 0] ?? 0);
    });
    return { kind: 'bar', of, x: x - 0.14, y: y - CAP, width: 0.28, height: long + 2 * CAP };
  });
}

/** Returns whether a line of a level shows the places of another level separately: those next to it, and those that it passes through. */
const isKept = (plan: Plan, level: number, other: number) =>
  plan.directions[other] !== 'none' && (plan.directions[other] !== plan.directions[level] || other >= level);

/** Draws the lines along one dimension; places that they do not show separately are summed up. */
function drawLevel(torus: Torus, order: readonly number[], plan: Plan, layout: Layout, level: number, drawn: PictureLines) {
  const dimension = order[level] ?? 0;
  const kept = order.filter((_, other) => isKept(plan, level, other));
  // All places of a line, in the order of the lines: a mixed radix of the kept dimensions.
  const lineOf = (place: number) => kept.reduce((line, some) => line * (torus.sizes[some] ?? 1) + coordinate(torus, place, some), 0);
  const count = kept.reduce((all, some) => all * (torus.sizes[some] ?? 1), 1);
  const links: number[][] = Array.from({ length: 2 * count }, () => []);
  const first = new Int32Array(2 * count).fill(-1);
  for (let place = 0; place < torus.places; place += 1) {
    const line = 2 * lineOf(place);
    for (let side = 0; side < 2; side += 1) {
      const slot = slotOf(torus, place, dimension, side === 0);
      for (let at = torus.starts[slot] ?? 0; at < (torus.starts[slot + 1] ?? 0); at += 1) links[line + side]?.push(torus.links[at] ?? 0);
      if ((first[line + side] ?? 0) < 0) first[line + side] = place;
    }
  }
  const across = plan.directions[level] === 'across';
  const inner = level === 2 ? { width: 0, height: 0, padX: 0.16, padY: 0 } : layout.levels[level - 1];
  if (!inner) return;
  const [length, pad] = across ? [inner.width, inner.padX] : [inner.height, inner.padY];
  const [origin, steps] = across ? [layout.x, layout.dx] : [layout.y, layout.dy];
  const step = steps[dimension] ?? 0;
  for (let line = 0; line < links.length; line += 1) {
    const some = links[line] ?? [];
    if (!some.length) continue;
    const [place, up] = [first[line] ?? 0, line % 2 === 0];
    const sign = up ? 1 : -1;
    const at = (other: number, way: number[]) => kept.reduce((sum, kept_) => sum + (kept_ === other ? 0 : coordinate(torus, place, kept_) * (way[kept_] ?? 0)), 0);
    const begin = origin + at(dimension, steps); // of the dimension's first box
    const offset = across ? layout.y + at(-1, layout.dy) + sign * APART : layout.x + at(-1, layout.dx) - sign * APART;
    const draw = (from: number, to: number) => { if (across) drawn.segment(from, offset, to, offset); else drawn.segment(offset, from, offset, to); };
    /** The edge of the dimension's box number `box` to its far or near side. */
    const edge = (box: number, far: boolean) => begin + box * step + (far ? length + pad : -pad);
    const here = coordinate(torus, place, dimension);
    drawn.add(some);
    if (!isLoopBack(torus, place, dimension, up)) { draw(edge(here, up), edge(here + sign, !up)); continue; }
    const other = up ? 0 : (torus.sizes[dimension] ?? 1) - 1;
    draw(edge(here, up), edge(here, up) + sign * STUB);
    draw(edge(other, !up) - sign * STUB, edge(other, !up));
  }
}
