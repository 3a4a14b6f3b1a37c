import { describe, expect, it } from 'vitest';
import { syntheticTorus } from './synthetic';
import { coordinate, isLoopBack, isTorus, moveDimension, planeBase, planeCoordinates, planeCount, planeName, planeNumber, planeOf, planePlaces, readState, readTorus, slotOf, writeState } from './torus';

const SIZES = [[5], [4, 3], [4, 3, 3], [2, 3, 1, 4], [4, 4, 4, 4, 2], [3, 2, 3, 2, 1, 2]];
const alphabetical = (sizes: readonly number[]) => sizes.map((_, at) => at);

describe('a torus', () => {
  it.each(SIZES.map((sizes) => [sizes] as const))('of %j has each link in the slot where it begins', (sizes) => {
    const shape = syntheticTorus(sizes);
    const torus = readTorus(shape);
    expect(torus.places).toBe(sizes.reduce((all, size) => all * size, 1));
    expect([...torus.links].sort((a, b) => a - b)).toEqual(alphabetical([...shape.sources]));
    for (let place = 0; place < torus.places; place += 1) {
      expect(torus.switches[place]).toBe(place);
      sizes.forEach((size, dimension) => [true, false].forEach((up) => {
        const slot = slotOf(torus, place, dimension, up);
        const links = [...torus.links.subarray(torus.starts[slot], torus.starts[slot + 1])];
        // Of two places, each has one cable; of one place, none.
        expect(links.length).toBe(size < 2 ? 0 : size === 2 && isLoopBack(torus, place, dimension, up) ? 0 : 1);
        for (const link of links) {
          const there = shape.targets[link] ?? -1;
          const at = (coordinate(torus, place, dimension) + (up ? 1 : size - 1)) % size;
          expect([shape.sources[link], coordinate(torus, there, dimension)]).toEqual([place, at]);
        }
      }));
    }
  });
  it('has one to six dimensions, and not more places than can be drawn', () => {
    expect([[], [0, 3], [9], [3, 3, 3, 3, 3, 3], [2, 2, 2, 2, 2, 2, 2], [1e6, 1e6]].map((sizes) => isTorus({ sizes }))).toEqual([false, false, true, true, false, false]);
  });
  it('keeps parallel links in one slot, and leaves out what begins nowhere', () => {
    const shape = syntheticTorus([3, 3]);
    const twice = { ...shape, sources: Int32Array.of(0, 0, 1, 9), targets: Int32Array.of(3, 3, 0, 0), link_dimensions: Int32Array.of(0, 0, -1, 0), link_signs: Int8Array.of(1, 1, 0, 1) };
    twice.coordinates = shape.coordinates.slice();
    twice.coordinates[9 * 2] = -1;
    const torus = readTorus(twice);
    expect([...torus.links]).toEqual([0, 1]);
    expect([...torus.links.subarray(torus.starts[slotOf(torus, 0, 0, true)], torus.starts[slotOf(torus, 0, 0, true) + 1])]).toEqual([0, 1]);
  });
});

describe('planes', () => {
  it.each(SIZES.map((sizes) => [sizes] as const))('of %j hold each place once', (sizes) => {
    const torus = readTorus(syntheticTorus(sizes));
    const order = alphabetical(sizes).reverse();
    const places = Array.from({ length: planeCount(torus, order) }, (_, plane) => {
      expect(planeNumber(torus, order, planeCoordinates(torus, order, plane))).toBe(plane);
      const some = planePlaces(torus, order, plane);
      expect(some[0]).toBe(planeBase(torus, order, plane));
      expect(some.every((place) => planeOf(torus, order, place) === plane)).toBe(true);
      return some;
    }).flat();
    expect(places.sort((a, b) => a - b)).toEqual(Array.from({ length: torus.places }, (_, place) => place));
  });
  it('are numbered with the third dimension running fastest', () => {
    const torus = readTorus(syntheticTorus([4, 4, 4, 4, 2]));
    expect(planeName(torus, [1, 2, 0, 3, 4], 21)).toBe('a 1, d 1, e 1');
  });
});

describe('the address', () => {
  const torus = readTorus(syntheticTorus([4, 4, 4, 4, 2]));
  it('keeps order, plane and picture', () => {
    for (const state of [{ order: [1, 2, 0, 3, 4], plane: 7, solid: false }, { order: [4, 3, 2, 1, 0], plane: null, solid: true }]) expect(readState(writeState(state), torus)).toEqual(state);
  });
  it('is taken as far as it fits', () => {
    const whole = { order: [0, 1, 2, 3, 4], plane: null, solid: false };
    for (const text of ['', '0123', '01230', '0123x', '01234:99', '01234:-1', 'x:y', '01239']) expect(readState(text, torus)).toEqual(whole);
    expect(readState('9999:1', torus)).toEqual({ ...whole, plane: 1 });
  });
  it('has the order that a dimension was moved in', () => {
    expect(moveDimension([0, 1, 2, 3], 3, 0)).toEqual([3, 0, 1, 2]);
    expect(moveDimension([0, 1, 2, 3], 0, 2)).toEqual([1, 2, 0, 3]);
  });
});
