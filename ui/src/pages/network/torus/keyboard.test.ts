import { describe, expect, it } from 'vitest';
import { centreOf, goIn, goOut, linksOfNode, moveCursor, nextPlane } from './keyboard';
import { syntheticTorus } from './synthetic';
import { detailPicture } from './planes';
import { readTorus } from './torus';

const torus = readTorus(syntheticTorus([4, 4, 4, 4, 2]));
const order = [1, 2, 0, 3, 4];
const planes = detailPicture(torus, order).boxes.filter(({ kind }) => kind === 'plane');

describe('arrow keys', () => {
  it('go from plane to plane as the picture shows them', () => {
    expect([nextPlane(planes, 3, 'right'), nextPlane(planes, 4, 'left'), nextPlane(planes, 5, 'down'), nextPlane(planes, 21, 'up')]).toEqual([4, 3, 21, 5]);
    expect([nextPlane(planes, 0, 'left'), nextPlane(planes, 31, 'right')]).toEqual([0, 31]);
  });
  it('go into a plane to its nodes, into a node to its links, and out again', () => {
    const plane = { plane: 5, place: null, link: null };
    const node = goIn(torus, order, plane);
    const right = moveCursor(torus, order, planes, node, 'right');
    expect((right.place ?? 0) - (node.place ?? 0)).toBe(torus.strides[1]);
    expect(moveCursor(torus, order, planes, node, 'up')).toEqual(node);
    const link = goIn(torus, order, right);
    const links = linksOfNode(torus, right.place ?? 0);
    expect(links.length).toBe(4 * 4 + 2); // two ways out and in along each dimension; e has two places
    expect([link.link, moveCursor(torus, order, planes, link, 'right').link]).toEqual([links[0], links[1]]);
    expect(goOut(link)).toEqual(right);
    expect(goOut(right)).toEqual(plane);
    expect(goOut(plane)).toBe(null);
  });
  it('are at a part of the picture', () => {
    const picture = detailPicture(torus, order);
    const [left, right] = [centreOf(picture, { plane: 0, place: null, link: null }), centreOf(picture, { plane: 31, place: null, link: null })];
    expect([left[0] + right[0], left[1] + right[1]].map((sum) => sum.toFixed(6))).toEqual(['1.000000', '1.000000']); // opposite corners
    expect(centreOf(picture, { plane: 0, place: 0, link: null })[0]).toBeLessThan(left[0]);
  });
});
