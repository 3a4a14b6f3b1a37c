import { describe, expect, it } from 'vitest';
import { shapeOf } from '../fabric';
import { drawTree, isDrawable, MOST_DRAWN, widthOf } from './drawing';

/** Leaves of two nodes below spines, as the server sends it. */
function tree(leaves: number, spines: number) {
  const vertices: string[] = [], hosts: string[] = [], levels: number[] = [];
  const links: [number, number, number][] = [];
  const add = (name: string, host: string, level: number) => { vertices.push(name); hosts.push(host); levels.push(level); return vertices.length - 1; };
  const tops = Array.from({ length: spines }, (_, at) => add(`spine${at + 1}`, '', 2));
  for (let leaf = 0; leaf < leaves; leaf += 1) {
    const at = add(`leaf${leaf + 1}`, '', 1);
    for (const top of tops) links.push([at, top, 1], [top, at, 2]);
    for (let node = 0; node < 2; node += 1) { const name = `node${2 * leaf + node + 1}`; const one = add(name, name, 0); links.push([one, at, 0], [at, one, 0]); }
  }
  const none = links.map(() => 0);
  return shapeOf({
    name: 'lab', kind: 'fat tree', valid_from_ns: 0, dimensions: [], sizes: [], wraps: [], vertices, hosts, levels, groups: levels.map(() => -1), planes: levels.map(() => 0), coordinates: levels.map(() => []),
    sources: links.map((link) => link[0]), targets: links.map((link) => link[1]), rates: none, lanes: none, link_kinds: links.map((link) => link[2]), kinds: ['terminal', 'up', 'down'], link_dimensions: none, link_signs: none, link_names: links.map(() => 'x'),
  } as unknown as Parameters<typeof shapeOf>[0]);
}

describe('the drawing of a small tree', () => {
  it('puts nodes below their leaf and a spine above the middle', () => {
    const { vertices, width } = drawTree(tree(4, 1), 800);
    const at = (name: string) => vertices.find((vertex) => vertex.name === name) ?? { x: NaN, y: NaN };
    expect(at('leaf1').x).toBeCloseTo((at('node1').x + at('node2').x) / 2);
    expect(at('spine1').x).toBeCloseTo(width / 2);
    expect(at('spine1').y).toBeLessThan(at('leaf1').y);
    expect(at('leaf1').y).toBeLessThan(at('node1').y);
    expect(at('node3').x - at('node2').x).toBeGreaterThan(at('node2').x - at('node1').x);
    expect(Math.min(...vertices.map((vertex) => vertex.x))).toBeGreaterThan(0);
    expect(Math.max(...vertices.map((vertex) => vertex.x))).toBeLessThan(width);
  });
  it('draws both directions of a cable next to each other, and spines next to each other', () => {
    const { links, vertices } = drawTree(tree(2, 2), 600);
    expect(links[0]).toBeDefined();
    expect(Math.abs((links[0]?.x1 ?? 0) - (links[1]?.x2 ?? 0))).toBeGreaterThan(1);
    const spines = vertices.filter((vertex) => vertex.name.startsWith('spine'));
    expect(Math.abs((spines[0]?.x ?? 0) - (spines[1]?.x ?? 0))).toBeGreaterThan(100);
  });
  it('leaves large fabrics out', () => {
    expect(isDrawable(tree(4, 1))).toBe(true);
    expect(isDrawable(tree(MOST_DRAWN, 1))).toBe(false);
  });
  it('draws more load wider', () => {
    expect(widthOf(0, 10)).toBe(1);
    expect(widthOf(2, 10)).toBeLessThan(widthOf(10, 10));
  });
});
