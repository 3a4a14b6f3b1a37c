// A torus as its views need it: which links leave each place along each dimension, and the order of the dimensions. Pure.
import type { FabricShape } from '../fabric';

/** The most dimensions and places that are drawn. */
const [MOST_DIMENSIONS, MOST_PLACES] = [6, 1_000_000];
/** Whether a fabric can be shown as a torus: its file may say anything. */
export const isTorus = ({ sizes }: Pick<FabricShape, 'sizes'>): boolean =>
  sizes.length > 0 && sizes.length <= MOST_DIMENSIONS && sizes.every((size) => size > 0) && sizes.reduce((all, size) => all * size, 1) <= MOST_PLACES;

/** A slot is one way out of a place: place × dimension × direction (+ first). Parallel links share a slot. */
export interface Torus {
  names: readonly string[]; sizes: readonly number[];
  /** How far apart in `places` two neighbours along each dimension are. */
  strides: readonly number[];
  places: number;
  /** Of each place, its switch; -1: none is known there. */
  switches: Int32Array;
  /** `links[starts[slot]]` to `links[starts[slot + 1]]` leave through a slot. */
  starts: Int32Array; links: Int32Array;
}

/** Returns the slot that leaves a place along a dimension, up (true) or down its coordinates. */
export const slotOf = (torus: Torus, place: number, dimension: number, up: boolean) =>
  (place * torus.sizes.length + dimension) * 2 + (up ? 0 : 1);

/** Returns the coordinate of a place along a dimension. */
export const coordinate = (torus: Torus, place: number, dimension: number) =>
  Math.floor(place / (torus.strides[dimension] ?? 1)) % (torus.sizes[dimension] ?? 1);

/** Sorts the links of a shape into slots. Links without a dimension, and those that begin nowhere, have none. */
export function readTorus(shape: FabricShape): Torus {
  const { sizes, dimensions: names } = shape;
  const count = sizes.length;
  const strides = sizes.map((_, at) => sizes.slice(at + 1).reduce((all, size) => all * size, 1));
  const places = sizes.reduce((all, size) => all * size, 1);
  const placeOf = (vertex: number) => {
    let place = 0;
    for (let d = 0; d < count; d += 1) {
      const at = shape.coordinates[vertex * count + d] ?? -1;
      if (at < 0 || at >= (sizes[d] ?? 0)) return -1;
      place += at * (strides[d] ?? 0);
    }
    return place;
  };
  const switches = new Int32Array(places).fill(-1);
  shape.hosts.forEach((host, vertex) => {
    const place = host ? -1 : placeOf(vertex);
    if (place >= 0) switches[place] = vertex;
  });
  const slots = new Int32Array(shape.sources.length).fill(-1);
  const starts = new Int32Array(places * count * 2 + 1);
  for (let link = 0; link < slots.length; link += 1) {
    const [dimension, sign] = [shape.link_dimensions[link] ?? -1, shape.link_signs[link] ?? 0];
    const place = dimension >= 0 && dimension < count && sign !== 0 ? placeOf(shape.sources[link] ?? 0) : -1;
    if (place < 0) continue;
    const slot = (place * count + dimension) * 2 + (sign > 0 ? 0 : 1);
    slots[link] = slot;
    starts[slot + 1] = (starts[slot + 1] ?? 0) + 1;
  }
  for (let slot = 1; slot < starts.length; slot += 1) starts[slot] = (starts[slot] ?? 0) + (starts[slot - 1] ?? 0);
  const [links, next] = [new Int32Array(starts[starts.length - 1] ?? 0), starts.slice()];
  for (let link = 0; link < slots.length; link += 1) {
    const slot = slots[link] ?? -1;
    if (slot >= 0) { links[next[slot] ?? 0] = link; next[slot] = (next[slot] ?? 0) + 1; }
  }
  return { names, sizes, strides, places, switches, starts, links };
}

/** What the address keeps: the order of the dimensions, the magnified plane, and whether the placement is shown in 3-D. */
export interface TorusState {
  /** Dimensions by their places in the shape: the first two are the planes'. */
  order: readonly number[];
  /** The number of the magnified plane; null: all planes are shown. */
  plane: number | null;
  solid: boolean;
}

/** Reads `12034:7` or `012:3d`; whatever does not fit to the torus is left out. */
export function readState(text: string, torus: Torus): TorusState {
  const [first = '', ...rest] = text.split(':');
  const digits = [...first].map(Number);
  const count = torus.sizes.length;
  const fits = digits.length === count && new Set(digits).size === count && digits.every((digit) => digit >= 0 && digit < count);
  const order = fits ? digits : torus.sizes.map((_, at) => at);
  const plane = rest.map((word) => (/^\d{1,9}$/.test(word) ? Number(word) : -1)).find((at) => at >= 0 && at < planeCount(torus, order));
  return { order, plane: plane ?? null, solid: asksForPlacement(text) };
}
/** Whether the address asks for the placement. */
export const asksForPlacement = (text: string) => text.split(':').includes('3d');
export const writeState = ({ order, plane, solid }: TorusState) =>
  [order.join(''), ...(plane === null ? [] : [String(plane)]), ...(solid ? ['3d'] : [])].join(':');

/** Returns the order in which a dimension has moved to another place of it. */
export function moveDimension(order: readonly number[], from: number, to: number): number[] {
  const rest = order.filter((_, at) => at !== from);
  const moved = order[from];
  if (moved === undefined) return [...order];
  rest.splice(Math.min(Math.max(to, 0), rest.length), 0, moved);
  return rest;
}

/** Planes are numbered by the dimensions beyond the second, the third one fastest. */
export const planeCount = (torus: Torus, order: readonly number[]) =>
  order.slice(2).reduce((all, dimension) => all * (torus.sizes[dimension] ?? 1), 1);

/** Returns the coordinate of a plane along each dimension of the order beyond the second. */
export function planeCoordinates(torus: Torus, order: readonly number[], plane: number): number[] {
  let rest = plane;
  return order.slice(2).map((dimension) => {
    const size = torus.sizes[dimension] ?? 1;
    const at = rest % size;
    rest = Math.floor(rest / size);
    return at;
  });
}
export const planeNumber = (torus: Torus, order: readonly number[], coordinates: readonly number[]) =>
  order.slice(2).reduceRight((number, dimension, at) => number * (torus.sizes[dimension] ?? 1) + (coordinates[at] ?? 0), 0);

/** Returns the place of a plane whose coordinates along the plane's own two dimensions are 0. */
export const planeBase = (torus: Torus, order: readonly number[], plane: number) =>
  planeCoordinates(torus, order, plane).reduce((base, at, level) => base + at * (torus.strides[order[level + 2] ?? 0] ?? 0), 0);

/** Returns the places of a plane, row by row: the first dimension runs within a row. */
export function planePlaces(torus: Torus, order: readonly number[], plane: number): number[] {
  const base = planeBase(torus, order, plane);
  const [a, b] = [order[0] ?? -1, order[1] ?? -1];
  const places = [];
  for (let row = 0; row < (torus.sizes[b] ?? 1); row += 1) {
    for (let at = 0; at < (torus.sizes[a] ?? 1); at += 1) places.push(base + at * (torus.strides[a] ?? 0) + row * (torus.strides[b] ?? 0));
  }
  return places;
}

/** Returns the number of the plane that a place is in. */
export const planeOf = (torus: Torus, order: readonly number[], place: number) =>
  planeNumber(torus, order, order.slice(2).map((dimension) => coordinate(torus, place, dimension)));

/** Says where a plane is: `c 1, d 0`. */
export const planeName = (torus: Torus, order: readonly number[], plane: number) =>
  planeCoordinates(torus, order, plane).map((at, level) => `${torus.names[order[level + 2] ?? 0]} ${at}`).join(', ');

/** Returns whether a slot leaves through the edge: a loop-back, which leads to the other end of its dimension. */
export function isLoopBack(torus: Torus, place: number, dimension: number, up: boolean): boolean {
  return coordinate(torus, place, dimension) === (up ? (torus.sizes[dimension] ?? 1) - 1 : 0);
}
