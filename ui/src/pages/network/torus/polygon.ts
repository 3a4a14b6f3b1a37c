// The polygon view: each node of a plane as a polygon, with a corner for each dimension and, towards it, what goes out and comes in. Pure.
import { PictureLines, type Box, type Picture } from './picture';
import { coordinate, planePlaces, slotOf, type Torus } from './torus';

/** From the centre of a polygon to its corners; nodes are one unit apart. */
const RADIUS = 0.4;
/** How far the two lines towards a corner are apart from the middle. */
const APART = 0.045;
/** The share of the way to the corner that they take. */
const [NEAR, FAR] = [0.12, 0.94];

/** Returns the direction of a dimension's corner: the first one up, the others clockwise. */
export function cornerOf(dimension: number, count: number): readonly [number, number] {
  const angle = (2 * Math.PI * dimension) / count - Math.PI / 2;
  return [Math.cos(angle), Math.sin(angle)];
}

/** Returns the corners of a polygon, as x and y in turn; of one or two dimensions it is a circle. */
export function polygonOutline(count: number, x: number, y: number, radius = RADIUS): Float32Array {
  const corners = count < 3 ? 24 : count;
  const outline = new Float32Array(2 * corners);
  for (let corner = 0; corner < corners; corner += 1) {
    const [dx, dy] = cornerOf(corner, corners);
    outline[2 * corner] = x + dx * radius;
    outline[2 * corner + 1] = y + dy * radius;
  }
  return outline;
}

/** Returns the links that come into a place along a dimension, from both sides. */
export function incoming(torus: Torus, place: number, dimension: number): number[] {
  const [size, stride] = [torus.sizes[dimension] ?? 1, torus.strides[dimension] ?? 0];
  const at = coordinate(torus, place, dimension);
  return [true, false].flatMap((up) => {
    const source = place + (((at + (up ? -1 : 1) + size) % size) - at) * stride;
    if (size < 2) return [];
    const slot = slotOf(torus, source, dimension, up);
    return [...torus.links.subarray(torus.starts[slot] ?? 0, torus.starts[slot + 1] ?? 0)];
  });
}
/** Returns the links that leave a place along a dimension, to both sides. */
export const outgoing = (torus: Torus, place: number, dimension: number): number[] =>
  [...torus.links.subarray(torus.starts[slotOf(torus, place, dimension, true)] ?? 0, torus.starts[slotOf(torus, place, dimension, false) + 1] ?? 0)];

export function polygonPicture(torus: Torus, order: readonly number[], plane: number): Picture {
  const drawn = new PictureLines();
  const count = torus.sizes.length;
  const across = torus.sizes[order[0] ?? -1] ?? 1;
  const places = planePlaces(torus, order, plane);
  const nodes = new Float32Array(2 * places.length);
  const boxes: Box[] = [];
  const outlines = places.map((place, at) => {
    const [x, y] = [(at % across) + 0.5, Math.floor(at / across) + 0.5];
    nodes[2 * at] = x;
    nodes[2 * at + 1] = y;
    boxes.push({ kind: 'node', of: place, x: x - 0.5, y: y - 0.5, width: 1, height: 1 });
    for (let dimension = 0; dimension < count; dimension += 1) {
      const [dx, dy] = cornerOf(dimension, count);
      for (const [links, side] of [[outgoing(torus, place, dimension), 1], [incoming(torus, place, dimension), -1]] as const) {
        if (!links.length) continue;
        drawn.add(links);
        // Out on the right of the way to the corner, in on the left.
        const [ox, oy] = [-dy * APART * side, dx * APART * side];
        const inner = [x + dx * RADIUS * NEAR + ox, y + dy * RADIUS * NEAR + oy] as const;
        const outer = [x + dx * RADIUS * FAR + ox, y + dy * RADIUS * FAR + oy] as const;
        if (side > 0) drawn.segment(...inner, ...outer); else drawn.segment(...outer, ...inner);
      }
    }
    return (torus.switches[place] ?? -1) < 0 ? new Float32Array(0) : polygonOutline(count, x, y); // no switch is known there
  });
  const down = Math.ceil(places.length / across);
  const ruler = (dimension: number | undefined, size: number) =>
    dimension === undefined ? [] : [{ name: torus.names[dimension] ?? '', ticks: Array.from({ length: size }, (_, at) => ({ from: at, to: at + 1, text: String(at) })) }];
  return {
    width: across, height: down, thick: 0.075, shows: 'most', ...drawn.parts, boxes, nodes, places: Int32Array.from(places), outlines,
    top: ruler(order[0], across), left: ruler(order[1], down), labels: [],
  };
}

