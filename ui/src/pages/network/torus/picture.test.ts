import { describe, expect, it } from 'vitest';
import { NO_JOB, type StepLoads } from '../fabric';
import { compositePicture } from './composite';
import { outerDirections } from './layout';
import { inkLines, inksOf, lineJobs, lineValues, linesOf, linesWith, linksOf, linkToChoose, nearestLine, SHADES, sortByInk, boxAt, type Picture } from './picture';
import { syntheticLoads, syntheticTorus } from './synthetic';
import { cuboidPicture, detailPicture } from './planes';
import { polygonPicture } from './polygon';
import { coordinate, isLoopBack, planeCount, readTorus, slotOf } from './torus';

const SIZES = [[5], [4, 3], [4, 3, 3], [2, 3, 1, 4], [4, 4, 4, 4, 2], [3, 2, 3, 2, 1, 2]];
const orders = (sizes: readonly number[]) => { const order = sizes.map((_, at) => at); return [order, [...order].reverse()]; };
const cases = SIZES.flatMap((sizes) => orders(sizes).map((order) => ({ sizes, order })));
const segmentsOf = (picture: Picture, line: number) => [...picture.lines].flatMap((of, at) => (of === line ? [picture.segments.subarray(4 * at, 4 * at + 4)] : []));
const isWithin = (picture: Picture) => [...picture.segments].every((value, at) => value >= 0 && value <= (at % 2 ? picture.height : picture.width));

describe('the detailed plane view', () => {
  it.each(cases)('of $sizes by $order shows each link of its planes once, between its nodes', ({ sizes, order }) => {
    const shape = syntheticTorus(sizes);
    const torus = readTorus(shape);
    const picture = detailPicture(torus, order);
    const [a, b] = [order[0] ?? -1, order[1] ?? -1];
    expect(isWithin(picture)).toBe(true);
    expect(picture.boxes.filter(({ kind }) => kind === 'plane').length).toBe(planeCount(torus, order));
    const wanted = shape.link_names.map((_, link) => link).filter((link) => [a, b].includes(shape.link_dimensions[link] ?? -2));
    expect([...picture.links].sort((x, y) => x - y)).toEqual(wanted);
    const node = new Map([...picture.places].map((place, at) => [place, [picture.nodes[2 * at] ?? 0, picture.nodes[2 * at + 1] ?? 0]]));
    for (let line = 0; line < linesOf(picture); line += 1) {
      const link = linksOf(picture, line)[0] ?? -1;
      const [source, target] = [shape.sources[link] ?? 0, shape.targets[link] ?? 0];
      const parts = segmentsOf(picture, line);
      const [begin, end] = [parts[0], parts.at(-1)];
      const near = (place: number, x: number | undefined, y: number | undefined) => Math.hypot((node.get(place)?.[0] ?? 0) - (x ?? 99), (node.get(place)?.[1] ?? 0) - (y ?? 99)) < 0.3;
      expect(near(source, begin?.[0], begin?.[1]) && near(target, end?.[2], end?.[3])).toBe(true);
      expect(parts.length).toBe(isLoopBack(torus, source, shape.link_dimensions[link] ?? 0, (shape.link_signs[link] ?? 0) > 0) ? 2 : 1);
    }
  });
  it('has no node where no switch is known', () => {
    const shape = syntheticTorus([3, 3]);
    const torus = readTorus({ ...shape, hosts: shape.hosts.map((host, vertex) => (vertex === 4 ? 'gone' : host)) });
    const nodes = detailPicture(torus, [0, 1]).nodes;
    expect([...nodes].map(Number.isNaN).indexOf(true)).toBe(8);
    expect(polygonPicture(torus, [0, 1], 0).outlines.map((outline) => outline.length > 0)).toEqual([true, true, true, true, false, true, true, true, true]);
  });
  it('orders planes by the third dimension in cuboids, these across by the fourth, and down by the fifth', () => {
    const torus = readTorus(syntheticTorus([4, 4, 4, 4, 2]));
    const picture = detailPicture(torus, [1, 2, 0, 3, 4]);
    const planes = picture.boxes.filter(({ kind }) => kind === 'plane');
    const x = (plane: number) => planes.find(({ of }) => of === plane)?.x ?? 0;
    const y = (plane: number) => planes.find(({ of }) => of === plane)?.y ?? 0;
    for (let plane = 1; plane < 16; plane += 1) expect([x(plane) > x(plane - 1), y(plane) === y(0)]).toEqual([true, true]);
    expect([x(16) === x(0), y(16) > y(0)]).toEqual([true, true]);
    expect(x(4) - x(3)).toBeGreaterThan(x(3) - x(2)); // another cuboid
    expect(picture.boxes.map(({ kind }) => kind).filter((kind, at, all) => all.indexOf(kind) === at)).toEqual(['block', 'cuboid', 'plane']);
    expect(picture.top.map(({ name, ticks }) => `${name} ${ticks.length}`)).toEqual(['d 4', 'a 16']);
    expect(picture.left.map(({ name, ticks }) => `${name} ${ticks.length}`)).toEqual(['e 2']);
  });
  it('goes down by the fourth where it would be much too wide', () => {
    expect(outerDirections([10, 10, 10, 10], [0, 1, 2, 3])).toEqual(['down']);
    expect(outerDirections([4, 4, 4, 4, 2], [0, 1, 2, 3, 4])).toEqual(['across', 'down']);
    expect(outerDirections([2, 2, 2, 2, 2, 2], [0, 1, 2, 3, 4, 5])).toEqual(['across', 'down', 'down']);
  });
});

describe('the magnified cuboid', () => {
  it('has the planes of one cuboid, in rows that fit the room', () => {
    const torus = readTorus(syntheticTorus([4, 4, 4, 4, 2]));
    const rows = (aspect: number) => new Set(cuboidPicture(torus, [0, 3, 1, 2, 4], 21, aspect).boxes.filter(({ kind }) => kind === 'plane').map(({ y }) => y)).size;
    expect([rows(6), rows(1), rows(0.2)]).toEqual([1, 2, 4]);
    const picture = cuboidPicture(torus, [0, 3, 1, 2, 4], 21, 1);
    expect(picture.boxes.filter(({ kind }) => kind === 'plane').map(({ of }) => of)).toEqual([20, 21, 22, 23]);
    expect(new Set([...picture.places].map((place) => coordinate(torus, place, 2)))).toEqual(new Set([1]));
    expect(isWithin(picture)).toBe(true);
  });
});

describe('the composite plane view', () => {
  it.each(cases)('of $sizes by $order has each link beyond the planes in one line', ({ sizes, order }) => {
    const shape = syntheticTorus(sizes);
    const picture = compositePicture(readTorus(shape), order);
    const wanted = shape.link_names.map((_, link) => link).filter((link) => !order.slice(0, 2).includes(shape.link_dimensions[link] ?? -1));
    expect([...picture.links].sort((x, y) => x - y)).toEqual(wanted);
    expect(isWithin(picture)).toBe(true);
  });
  it('sums up along the second dimension, one line for each place of the first', () => {
    const shape = syntheticTorus([4, 3, 5, 3, 2]);
    const torus = readTorus(shape);
    const picture = compositePicture(torus, [0, 1, 2, 3, 4]);
    const along = (dimension: number) => Array.from({ length: linesOf(picture) }, (_, line) => linksOf(picture, line)).filter(([link = 0]) => shape.link_dimensions[link] === dimension);
    // c: 4 places of a, 5 ways round c, both directions, in 3 x 2 cuboids; b is summed up.
    expect([along(2).length, along(2)[0]?.length]).toEqual([4 * 5 * 2 * 3 * 2, 3]);
    // d: a line for each place of a and e; b and c are summed up. e: one for each bar of its row.
    expect([along(3).length, along(3)[0]?.length]).toEqual([3 * 4 * 2 * 2, 3 * 5]);
    expect([along(4).length, along(4)[0]?.length]).toEqual([5 * 3 * 2, 4 * 3]);
    for (const links of along(2)) expect(new Set([...links].map((link) => coordinate(torus, shape.sources[link] ?? 0, 0))).size).toBe(1);
  });
  it('draws the third and fourth dimension across and the fifth down', () => {
    const shape = syntheticTorus([4, 4, 4, 4, 2]);
    const picture = compositePicture(readTorus(shape), [0, 1, 2, 3, 4]);
    for (let line = 0; line < linesOf(picture); line += 1) {
      const dimension = shape.link_dimensions[linksOf(picture, line)[0] ?? 0] ?? 0;
      for (const part of segmentsOf(picture, line)) expect(part[1] === part[3]).toBe(dimension < 4);
    }
  });
});

describe('the polygon view', () => {
  it.each(cases)('of $sizes by $order has a pair of lines for each dimension: out and in', ({ sizes, order }) => {
    const shape = syntheticTorus(sizes);
    const torus = readTorus(shape);
    const picture = polygonPicture(torus, order, planeCount(torus, order) - 1);
    const joined = sizes.filter((size) => size > 1).length;
    expect(linesOf(picture)).toBe(picture.places.length * joined * 2);
    let line = 0;
    for (const place of picture.places) {
      for (let dimension = 0; dimension < sizes.length; dimension += 1) {
        if ((sizes[dimension] ?? 1) < 2) continue;
        for (const ends of [shape.sources, shape.targets]) {
          const links = [...linksOf(picture, line)];
          expect(links.map((link) => [ends[link], shape.link_dimensions[link]])).toEqual(links.map(() => [place, dimension]));
          expect(links.length).toBe(sizes[dimension] === 2 ? 1 : 2);
          line += 1;
        }
      }
    }
  });
});

describe('traffic that alternates along d', () => {
  // Thesis, figures 4.3a to c: it has to be seen in each view.
  const shape = syntheticTorus([4, 4, 4, 4, 2]);
  const torus = readTorus(shape);
  const step = syntheticLoads(shape, 3);
  const byPlace = (picture: Picture) => Array.from(lineValues(picture, step.load), (mean, line) => {
    const link = linksOf(picture, line)[0] ?? 0;
    return shape.link_dimensions[link] === 3 ? [coordinate(torus, shape.sources[link] ?? 0, 3) % 2, mean] : [2, mean];
  });
  const seen = [[0, 1000], [1, 100], [2, 400]];
  it.each([
    ['composite', compositePicture(torus, [1, 2, 0, 3, 4])], ['detailed', detailPicture(torus, [0, 3, 1, 2, 4])],
    ['magnified', cuboidPicture(torus, [0, 3, 1, 2, 4], 0, 1)], ['polygon', polygonPicture(torus, [0, 3, 1, 2, 4], 0)],
  ])('is in the %s picture', (_, picture) => {
    expect([...new Set(byPlace(picture).map((pair) => JSON.stringify(pair)))].sort()).toEqual(seen.map((pair) => JSON.stringify(pair)));
  });
  it('is another ink', () => {
    const picture = polygonPicture(torus, [0, 3, 1, 2, 4], 0);
    expect(new Set(inkLines(picture, step, { colour: 'traffic', tokens: [], highlight: null }))).toEqual(new Set([1, 0.4, 0.1].map((part) => 1 + Math.ceil(Math.sqrt(part) * SHADES))));
  });
});

describe('lines', () => {
  const shape = syntheticTorus([4, 4, 4]);
  const torus = readTorus(shape);
  const picture = compositePicture(torus, [0, 1, 2]);
  const links = [...linksOf(picture, 0)];
  const step = (change: (step: StepLoads) => void): StepLoads => {
    const some = { load: new Float32Array(384), high: null, job: new Uint16Array(384).fill(NO_JOB), waiting: new Float32Array(384).fill(NaN), greatest: 10 };
    change(some);
    return some;
  };
  it('have the most of both ways out of a node', () => {
    const polygons = polygonPicture(torus, [0, 1, 2], 0);
    const [up = 0, down = 0] = linksOf(polygons, 0);
    expect(lineValues(polygons, step((some) => { some.load[up] = 1; some.load[down] = 5; }).load)[0]).toBe(5);
  });
  it('have the mean of what is known', () => {
    expect(lineValues(picture, step((some) => { some.load.fill(0); links.forEach((link, at) => { some.load[link] = at; }); }).load)[0]).toBe(1.5);
    expect(lineValues(picture, step((some) => { some.waiting[links[1] ?? 0] = 0.5; }).waiting).slice(0, 2)).toEqual(Float32Array.of(0.5, NaN));
  });
  it('belong to the job with the most load', () => {
    const some = step(({ load, job }) => { links.forEach((link, at) => { load[link] = [5, 3, 3, 1][at] ?? 0; job[link] = [0, 1, 1, NO_JOB][at] ?? 0; }); });
    expect([...lineJobs(picture, some, 2).slice(0, 2)]).toEqual([1, NO_JOB]);
    const inks = inksOf('job', ['load-0', 'load-2']);
    const of = (highlight: number | null) => inks[inkLines(picture, some, { colour: 'job', tokens: ['load-0', 'load-2'], highlight })[0] ?? 0];
    expect([of(null)?.token, of(null)?.pale, of(1)?.pale, of(0)?.pale]).toEqual(['load-2', false, false, true]);
  });
  it('lie by ink', () => {
    const inks = Uint8Array.from({ length: linesOf(picture) }, (_, line) => line % 3);
    const { order, starts } = sortByInk(picture, inks, 3);
    expect([...order].sort((a, b) => a - b)).toEqual([...picture.lines.keys()]);
    for (let ink = 0; ink < 3; ink += 1) for (const at of order.subarray(starts[ink], starts[ink + 1])) expect(inks[picture.lines[at] ?? 0]).toBe(ink);
  });
  it('are found near a point', () => {
    for (let at = 0; at < picture.lines.length; at += 1) {
      const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = picture.segments.subarray(4 * at, 4 * at + 4);
      expect(nearestLine(picture, (x0 + x1) / 2, (y0 + y1) / 2 + 0.05, 0.3)).toBe(picture.lines[at]);
    }
    expect(nearestLine(picture, -5, -5, 0.3)).toBe(-1);
  });
  it('give their busiest link first, then the next', () => {
    const { load } = step((some) => { links.forEach((link, at) => { some.load[link] = at; }); });
    expect(linkToChoose(picture, 0, load, null)).toBe(links[3]);
    expect(linkToChoose(picture, 0, load, links[3] ?? 0)).toBe(links[2]);
    expect(linkToChoose(picture, 0, load, links[0] ?? 0)).toBe(links[3]);
  });
  it('know their links', () => {
    const polygons = polygonPicture(torus, [0, 1, 2], 0);
    const link = torus.links[torus.starts[slotOf(torus, 0, 0, true)] ?? 0] ?? 0;
    expect(linesWith(polygons, link).length).toBe(2); // out of one node and into another
    expect(linesWith(polygons, null)).toEqual([]);
    for (const line of linesWith(polygons, link)) expect([...linksOf(polygons, line)]).toContain(link);
  });
  it('have the plane that a point is in', () => {
    const planes = detailPicture(torus, [0, 1, 2]);
    const last = planes.boxes.at(-1);
    expect(boxAt(planes, 'plane', (last?.x ?? 0) + 1, (last?.y ?? 0) + 1)?.of).toBe(3);
  });
});
