import { describe, expect, it } from 'vitest';
import { compositePicture } from './composite';
import { describeLine, describePlane, linksOfPlane, rolesOf, solidRoles } from './facts';
import { syntheticLoads, syntheticTorus } from './synthetic';
import { detailPicture } from './planes';
import { polygonPicture } from './polygon';
import { readTorus } from './torus';

const shape = syntheticTorus([4, 4, 4, 4, 2]);
const torus = readTorus(shape);
const step = syntheticLoads(shape, 3);
const jobs = { names: ['lammps'], tokens: ['load-0'] };

describe('a line', () => {
  it('says what its link carries', () => {
    step.waiting[0] = 0.25;
    const picture = detailPicture(torus, [0, 1, 2, 3, 4]);
    expect(describeLine(shape, picture, 0, step, jobs)).toBe('s0-0-0-0-0 > s1-0-0-0-0 (a+) · 400 B/s of 11.6 GiB/s · waited 25.0 % of the time · lammps');
  });
  it('says what leaves a node and what comes in, of both ways of a dimension', () => {
    const picture = polygonPicture(torus, [0, 1, 2, 3, 4], 0);
    expect(describeLine(shape, picture, 6, step, jobs)).toBe('2 links out of s0-0-0-0-0 along d · 1.95 KiB/s together, 1000 B/s each on average, at most 1000 B/s · most of it lammps');
    expect(describeLine(shape, picture, 7, step, jobs)).toContain('2 links into s0-0-0-0-0 along d · 200 B/s together');
  });
  it('says how many links it sums up', () => {
    const picture = compositePicture(torus, [1, 2, 0, 3, 4]);
    const line = [...picture.starts.keys()].find((at) => shape.link_dimensions[picture.links[picture.starts[at] ?? 0] ?? 0] === 3) ?? -1;
    expect(describeLine(shape, picture, line, step, jobs)).toBe('16 links along d+ · 15.6 KiB/s together, 1000 B/s each on average, at most 1000 B/s · most of it lammps');
    expect(describeLine(shape, picture, -1, step, jobs)).toBe('');
  });
});

describe('a plane', () => {
  it('has the links that leave its nodes', () => {
    const links = linksOfPlane(torus, [0, 3, 1, 2, 4], 0);
    expect(links.length).toBe(16 * 9);
    expect(new Set(links).size).toBe(16 * 9);
    expect(linksOfPlane(torus, [0, 3, 1, 2, 4], 31).length).toBe(16 * 9); // with the last place of all
    expect(describePlane(torus, [0, 3, 1, 2, 4], 0, step)).toBe('Plane b 0, c 0, e 0: 144 links, 60.9 KiB/s together, at most 1000 B/s');
  });
  it('has its levels in words', () => {
    expect(rolesOf(['across', 'down', 'across', 'across', 'down', 'down'])).toEqual(['plane, across', 'plane, down', 'planes in a cuboid', 'cuboids across', 'cuboids down', 'cuboids down, outer']);
    expect(solidRoles(4)).toEqual(['along x', 'along y', 'along z', 'cuboids along x']);
  });
});
