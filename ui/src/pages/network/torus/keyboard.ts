// Where the keys are in a torus: at a plane, at a node of it, or at one of that node's links. Pure.
import type { Box, Picture } from './picture';
import { incoming, outgoing } from './polygon';
import { coordinate, planeOf, planePlaces, type Torus } from './torus';

export interface Cursor { plane: number; place: number | null; link: number | null }
export type Arrow = 'left' | 'right' | 'up' | 'down';
export const ARROWS: Record<string, Arrow> = { ArrowLeft: 'left', ArrowRight: 'right', ArrowUp: 'up', ArrowDown: 'down' };
const WAYS: Record<Arrow, readonly [number, number]> = { left: [-1, 0], right: [1, 0], up: [0, -1], down: [0, 1] };

/** Returns the plane that lies next to one in a direction, as the picture shows them; itself at the edge. */
export function nextPlane(planes: readonly Box[], plane: number, arrow: Arrow): number {
  const here = planes.find(({ of }) => of === plane);
  if (!here) return planes[0]?.of ?? plane;
  const [dx, dy] = WAYS[arrow];
  let [best, least] = [plane, Infinity];
  for (const other of planes) {
    const [x, y] = [other.x - here.x, other.y - here.y];
    const [along, aside] = [x * dx + y * dy, Math.abs(x * dy) + Math.abs(y * dx)];
    if (along > 0 && along + 4 * aside < least) { least = along + 4 * aside; best = other.of; }
  }
  return best;
}

/** Returns the place next to one within its plane; at the edge itself. */
export function nextPlace(torus: Torus, order: readonly number[], place: number, arrow: Arrow): number {
  const [dx, dy] = WAYS[arrow];
  const dimension = order[dx ? 0 : 1];
  if (dimension === undefined) return place;
  const at = coordinate(torus, place, dimension) + dx + dy;
  return at < 0 || at >= (torus.sizes[dimension] ?? 1) ? place : place + (dx + dy) * (torus.strides[dimension] ?? 0);
}

/** Returns the links of a node by dimension: first those that leave it, then those that come in. */
export const linksOfNode = (torus: Torus, place: number): number[] =>
  torus.sizes.flatMap((_, dimension) => [...outgoing(torus, place, dimension), ...incoming(torus, place, dimension)]);

/** Goes one step in: from the plane to its first node, from a node to its first link. */
export function goIn(torus: Torus, order: readonly number[], cursor: Cursor): Cursor {
  if (cursor.place === null) return { ...cursor, place: planePlaces(torus, order, cursor.plane)[0] ?? null };
  return { ...cursor, link: linksOfNode(torus, cursor.place)[0] ?? null };
}
/** Goes one step out; null: it was at the plane. */
export function goOut(cursor: Cursor): Cursor | null {
  if (cursor.link !== null) return { ...cursor, link: null };
  return cursor.place === null ? null : { ...cursor, place: null };
}

/** Moves by an arrow on the level that the keys are at. */
export function moveCursor(torus: Torus, order: readonly number[], planes: readonly Box[], cursor: Cursor, arrow: Arrow): Cursor {
  if (cursor.place === null) return { ...cursor, plane: nextPlane(planes, cursor.plane, arrow) };
  if (cursor.link === null) {
    const place = nextPlace(torus, order, cursor.place, arrow);
    return { plane: planeOf(torus, order, place), place, link: null };
  }
  const links = linksOfNode(torus, cursor.place);
  const at = links.indexOf(cursor.link) + (arrow === 'left' || arrow === 'up' ? -1 : 1);
  return { ...cursor, link: links[Math.min(Math.max(at, 0), links.length - 1)] ?? null };
}

/** Returns where the keys are in a picture, as parts of its width and height. */
export function centreOf(picture: Picture, { plane, place }: Cursor): readonly [number, number] {
  const node = place === null ? -1 : picture.places.indexOf(place);
  if (node >= 0 && !Number.isNaN(picture.nodes[2 * node])) return [(picture.nodes[2 * node] ?? 0) / picture.width, (picture.nodes[2 * node + 1] ?? 0) / picture.height];
  const box = picture.boxes.find(({ kind, of }) => (kind === 'plane' || kind === 'bar') && of === plane);
  return box ? [(box.x + box.width / 2) / picture.width, (box.y + box.height / 2) / picture.height] : [0.5, 0.5];
}
