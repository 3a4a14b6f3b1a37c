// A small tree drawn as it is wired: switches above nodes, a line for each direction of a cable. Pure.
import { LINK_KINDS, type FabricShape } from '../fabric';

/** More nodes are not drawn: their names would not be legible. */
export const MOST_DRAWN = 32;
const TERMINAL = LINK_KINDS.indexOf('terminal');
const WIDEST = 8;

export interface DrawnVertex { vertex: number; name: string; x: number; y: number; node: boolean; /** Of a node: the link that begins there. */ link: number }
export interface DrawnLink { link: number; x1: number; y1: number; x2: number; y2: number }
export interface Drawing { vertices: DrawnVertex[]; links: DrawnLink[]; width: number; height: number }

/** Whether a fabric is small enough, and has levels, to be drawn. */
export function isDrawable(shape: FabricShape): boolean {
  const nodes = shape.hosts.filter((host) => host !== '').length;
  return nodes > 0 && nodes <= MOST_DRAWN && shape.levels.every((level, vertex) => (level === 0) === (shape.hosts[vertex] !== '') && level >= 0);
}

/** Lays a tree out in a width: nodes side by side below their leaf, a switch above the middle of what is below it. */
export function drawTree(shape: FabricShape, width: number): Drawing {
  const count = shape.vertices.length;
  const top = Math.max(...shape.levels);
  const below: number[][] = Array.from({ length: count }, () => []);
  const leafOf = new Int32Array(count).fill(-1);
  const linkOf = new Int32Array(count).fill(-1);
  shape.sources.forEach((source, link) => {
    const target = shape.targets[link] ?? 0;
    if ((shape.levels[source] ?? 0) < (shape.levels[target] ?? 0)) below[target]?.push(source);
    if (shape.link_kinds[link] === TERMINAL && shape.hosts[source] !== '') { leafOf[source] = target; linkOf[source] = link; }
  });
  const nodes = shape.hosts.flatMap((host, vertex) => (host ? [vertex] : []));
  nodes.sort((a, b) => (leafOf[a] ?? 0) - (leafOf[b] ?? 0) || a - b);
  const leaves = new Set(nodes.map((node) => leafOf[node])).size;
  // Between the nodes of two leaves there is half a place more.
  const place = width / (nodes.length + 0.5 * (leaves - 1));
  const rise = Math.min(Math.max(width / 9, 64), 96);
  const x = new Float64Array(count);
  nodes.forEach((node, at) => { x[node] = place * (at + 0.5 + 0.5 * new Set(nodes.slice(0, at + 1).map((one) => leafOf[one])).size - 0.5); });
  for (let level = 1; level <= top; level += 1) {
    const here = shape.vertices.flatMap((_, vertex) => (shape.levels[vertex] === level ? [vertex] : []));
    const middles = here.map((vertex) => mean((below[vertex] ?? []).map((child) => x[child] ?? 0), width / 2));
    // Switches above the same ones would lie on each other: they share the width.
    const apart = new Set(middles.map((value) => Math.round(value))).size === here.length;
    here.forEach((vertex, at) => { x[vertex] = apart ? (middles[at] ?? 0) : (width * (at + 0.5)) / here.length; });
  }
  const y = (vertex: number) => 18 + rise * (top - (shape.levels[vertex] ?? 0));
  const vertices = shape.vertices.map((name, vertex) => ({ vertex, name, x: x[vertex] ?? 0, y: y(vertex), node: shape.hosts[vertex] !== '', link: linkOf[vertex] ?? -1 }));
  const links = Array.from(shape.sources, (source, link) => {
    const target = shape.targets[link] ?? 0;
    const [ax, ay, bx, by] = [x[source] ?? 0, y(source), x[target] ?? 0, y(target)];
    const length = Math.hypot(bx - ax, by - ay) || 1;
    // Each direction on the right of its way, so that both are seen.
    const [dx, dy] = [(-(by - ay) / length) * (WIDEST / 2 + 1), ((bx - ax) / length) * (WIDEST / 2 + 1)];
    return { link, x1: ax + dx, y1: ay + dy, x2: bx + dx, y2: by + dy };
  });
  return { vertices, links, width, height: 18 + rise * top + 44 };
}

/** How wide a link is drawn, px: the root of its part of the greatest load, as its colour. */
export const widthOf = (load: number, greatest: number) => (load > 0 && greatest > 0 ? 1.5 + (WIDEST - 1.5) * Math.sqrt(Math.min(load / greatest, 1)) : 1);

const mean = (values: readonly number[], none: number) => (values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : none);
