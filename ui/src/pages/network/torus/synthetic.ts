// A torus and its loads for tests, as jostle.topology.torus makes it: a switch and a node at each place.
import type { FabricShape, StepLoads } from '../fabric';

export function syntheticTorus(sizes: readonly number[]): FabricShape {
  const places = sizes.reduce((all, size) => all * size, 1);
  const strides = sizes.map((_, at) => sizes.slice(at + 1).reduce((all, size) => all * size, 1));
  const at = Array.from({ length: places }, (_, place) => sizes.map((size, d) => Math.floor(place / (strides[d] ?? 1)) % size));
  const links: [number, number, number, number][] = [];
  at.forEach((coordinates, place) => sizes.forEach((size, dimension) => {
    const here = coordinates[dimension] ?? 0;
    if (size < 2 || (here === size - 1 && size < 3)) return;
    const there = place + (((here + 1) % size) - here) * (strides[dimension] ?? 0);
    links.push([place, there, dimension, 1], [there, place, dimension, -1]);
  }));
  const vertices = at.map((coordinates) => `s${coordinates.join('-')}`);
  const all = [...vertices, ...at.map((_, place) => `node${place + 1}`)];
  const column = (number: 0 | 1 | 2 | 3) => links.map((link) => link[number]);
  return {
    name: 'fabric', kind: 'torus', valid_from_ns: 0, dimensions: [...'abcdef'].slice(0, sizes.length), sizes: [...sizes], wraps: sizes.map(() => true),
    vertices: all, hosts: all.map((name, vertex) => (vertex < places ? '' : name)), levels: new Int32Array(2 * places), groups: new Int32Array(2 * places), planes: new Int32Array(2 * places),
    coordinates: Int32Array.from([...at.flat(), ...at.flat()]), sources: Int32Array.from(column(0)), targets: Int32Array.from(column(1)),
    rates: new Float64Array(links.length).fill(1e11), lanes: new Int32Array(links.length).fill(1), link_kinds: new Uint8Array(links.length).fill(3),
    link_dimensions: Int32Array.from(column(2)), link_signs: Int8Array.from(column(3)),
    link_names: links.map(([source, target]) => `${vertices[source]} > ${vertices[target]}`),
  };
}

/** Loads that alternate along a dimension: its even places send 1000 bytes/s, its odd ones 100, all other links carry 400. */
export function syntheticLoads(shape: FabricShape, along: number): StepLoads {
  const count = shape.sizes.length;
  const load = Float32Array.from(shape.sources, (source, link) => {
    if (shape.link_dimensions[link] !== along) return 400;
    return (shape.coordinates[source * count + along] ?? 0) % 2 === 0 ? 1000 : 100;
  });
  return { load, high: null, job: new Uint16Array(load.length), waiting: new Float32Array(load.length).fill(NaN), greatest: 1000 };
}
