// The detailed plane view: planes of the first two dimensions with all their links. Pure.
import { boxesOf, layOut, outerDirections, rulersOf, type Plan } from './layout';
import { PictureLines, type Box, type Picture, type Ruler } from './picture';
import { isLoopBack, planeBase, planeCoordinates, planeCount, planeNumber, slotOf, type Torus } from './torus';

/** From a node's centre to the edge of its mark. */
export const NODE = 0.17;
/** Distance of the two directions of a cable from its middle: each on its right, as on a road. */
export const APART = 0.12;
/** Length of the ends of a loop-back beyond the edge. */
const STUB = 0.5;

/** A plane, and where its first node is. */
interface PlacedPlane { plane: number; x: number; y: number }

/** Draws the links of planes. */
function drawPlanes(torus: Torus, order: readonly number[], planes: readonly PlacedPlane[]) {
  const drawn = new PictureLines();
  const [a, b] = [order[0] ?? -1, order[1] ?? -1];
  const [across, down] = [torus.sizes[a] ?? 1, torus.sizes[b] ?? 1];
  const nodes = new Float32Array(planes.length * across * down * 2);
  const places = new Int32Array(planes.length * across * down);
  let number = 0;
  for (const { plane, x, y } of planes) {
    const base = planeBase(torus, order, plane);
    for (let row = 0; row < down; row += 1) {
      for (let column = 0; column < across; column += 1) {
        const place = base + column * (torus.strides[a] ?? 0) + row * (torus.strides[b] ?? 0);
        places[number] = place;
        nodes[2 * number] = (torus.switches[place] ?? -1) < 0 ? NaN : x + column; // no switch is known there: nothing is drawn
        nodes[2 * number + 1] = y + row;
        number += 1;
        for (let side = 0; side < 4; side += 1) {
          const [dimension, up] = [side < 2 ? a : b, side % 2 === 0];
          if (dimension < 0) continue;
          const slot = slotOf(torus, place, dimension, up);
          const [begin, end] = [torus.starts[slot] ?? 0, torus.starts[slot + 1] ?? 0];
          if (begin === end) continue;
          drawn.add(torus.links.subarray(begin, end));
          const sign = up ? 1 : -1;
          const across_ = dimension === a;
          // Along the line, from `from` to `to`, seen from the node; `far` is where its dimension begins again.
          const draw = (from: number, to: number) => {
            if (across_) drawn.segment(x + from, y + row + sign * APART, x + to, y + row + sign * APART);
            else drawn.segment(x + column - sign * APART, y + from, x + column - sign * APART, y + to);
          };
          const at = across_ ? column : row;
          if (!isLoopBack(torus, place, dimension, up)) { draw(at + sign * NODE, at + sign * (1 - NODE)); continue; }
          const other = up ? 0 : (across_ ? across : down) - 1;
          draw(at + sign * NODE, at + sign * STUB);
          draw(other - sign * STUB, other - sign * NODE);
        }
      }
    }
  }
  return { ...drawn.parts, nodes, places, outlines: [], thick: 0.19, shows: 'mean' as const };
}

export function detailPlan(sizes: readonly number[], order: readonly number[]): Plan {
  return { directions: ['across', 'down', 'across', ...outerDirections(sizes, order)], pitch: [1, 1], pad: [0.7, 0.7], more: [0.45, 0.45], run: 0.35 };
}

/** Returns the picture of all planes: by the third dimension within cuboids, which the others order. */
export function detailPicture(torus: Torus, order: readonly number[]): Picture {
  const plan = detailPlan(torus.sizes, order);
  const layout = layOut(torus.sizes, order, plan);
  const planes = Array.from({ length: planeCount(torus, order) }, (_, plane) => {
    let [x, y] = [layout.x, layout.y];
    planeCoordinates(torus, order, plane).forEach((at, level) => {
      x += at * (layout.dx[order[level + 2] ?? 0] ?? 0);
      y += at * (layout.dy[order[level + 2] ?? 0] ?? 0);
    });
    return { plane, x, y };
  });
  return {
    width: layout.width, height: layout.height, ...drawPlanes(torus, order, planes),
    boxes: nestedBoxes(torus, order, layout, true),
    top: rulersOf(torus, order, layout, plan, 'across', 2), left: rulersOf(torus, order, layout, plan, 'down', 2), labels: [],
  };
}

/** Returns the boxes of both plane views: blocks around cuboids around planes; the outermost first. */
export function nestedBoxes(torus: Torus, order: readonly number[], layout: ReturnType<typeof layOut>, planes: boolean): Box[] {
  const several = (level: number) => order.slice(level).some((dimension) => (torus.sizes[dimension] ?? 1) > 1);
  return [
    ...(order.length > 5 && several(5) ? boxesOf(torus, order, layout, 5, 'block') : []),
    ...(order.length > 3 && several(4) ? boxesOf(torus, order, layout, 4, 'block') : []),
    ...(order.length > 2 ? boxesOf(torus, order, layout, 3, 'cuboid') : []),
    ...(planes ? boxesOf(torus, order, layout, Math.min(order.length, 2), 'plane') : []),
  ];
}

/** Room for the name above a plane of the magnified cuboid. */
const HEAD = 0.75;

/** Returns the picture of one cuboid's planes, in rows that fit a picture of this aspect (width by height). */
export function cuboidPicture(torus: Torus, order: readonly number[], plane: number, aspect: number): Picture {
  const [a, b, c] = [order[0] ?? -1, order[1] ?? -1, order[2] ?? -1];
  const [across, down, count] = [torus.sizes[a] ?? 1, torus.sizes[b] ?? 1, torus.sizes[c] ?? 1];
  const [, ...outer] = planeCoordinates(torus, order, plane);
  const [wide, high] = [across + 0.9, down + 0.9 + HEAD];
  const fit = (columns: number) => Math.min(aspect / (columns * wide), 1 / (Math.ceil(count / columns) * high));
  let columns = 1;
  for (let some = 2; some <= count; some += 1) if (fit(some) > fit(columns)) columns = some;
  const placed = Array.from({ length: count }, (_, at) => ({
    plane: order.length > 2 ? planeNumber(torus, order, [at, ...outer]) : 0,
    x: (at % columns) * wide + 0.95, y: Math.floor(at / columns) * high + HEAD + 0.95,
  }));
  const [width, height] = [columns * wide + 0.5, Math.ceil(count / columns) * high + 0.5];
  const boxes: Box[] = placed.map(({ plane: of, x, y }) => ({ kind: 'plane', of, x: x - 0.7, y: y - 0.7, width: across + 0.4, height: down + 0.4 }));
  if (order.length > 2) boxes.unshift({ kind: 'cuboid', of: 0, x: 0.05, y: 0.05, width: width - 0.1, height: height - 0.1 });
  const labels = order.length > 2 ? placed.map(({ x, y }, at) => ({ x: x + (across - 1) / 2, y: y - 0.7 - HEAD / 2, text: `${torus.names[c]} ${at}` })) : [];
  return { width, height, ...drawPlanes(torus, order, placed), boxes, labels, ...planeRulers(torus, order, placed.slice(0, columns), placed.filter((_, at) => at % columns === 0)) };
}

/** Returns scales of a plane's own dimensions, for planes next to and below each other. */
function planeRulers(torus: Torus, order: readonly number[], nextTo: readonly PlacedPlane[], below: readonly PlacedPlane[]): { top: Ruler[]; left: Ruler[] } {
  const ticks = (begins: number[], size: number) => begins.flatMap((begin) => Array.from({ length: size }, (_, at) => ({ from: begin + at - 0.5, to: begin + at + 0.5, text: String(at) })));
  const ruler = (dimension: number | undefined, begins: number[]): Ruler[] =>
    dimension === undefined ? [] : [{ name: torus.names[dimension] ?? '', ticks: ticks(begins, torus.sizes[dimension] ?? 1) }];
  return { top: ruler(order[0], nextTo.map(({ x }) => x)), left: ruler(order[1], below.map(({ y }) => y)) };
}
