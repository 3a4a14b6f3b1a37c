import { describe, expect, it } from 'vitest';
import { cubesOf, jobsOfVertices, placesOfJobs, weightOf } from './placement';
import { syntheticLoads, syntheticTorus } from './synthetic';
import { readTorus } from './torus';

const shape = syntheticTorus([4, 3, 2]);
const torus = readTorus(shape);

describe('the placement', () => {
  it('has a cube at each place, larger for the victim', () => {
    const jobs = jobsOfVertices(shape, { jobs: ['own', 'near', 'far'], job_of: { node1: 0, node2: 1, node24: 2 }, conflicting: [] }, syntheticLoads(shape, 0), []);
    const cubes = cubesOf(torus, shape, [0, 1, 2], jobs, 'own', ['near']);
    expect(cubes.length).toBe(24);
    expect(cubes.filter(({ job }) => job).map(({ job, weight, x, y, z }) => [job, weight, x, y, z])).toEqual([['own', 'victim', 0, 0, 0], ['near', 'conflict', 0, 0, 1], ['far', 'faint', 3, 2, 1]]);
    expect(placesOfJobs(cubes).map(({ job }) => job)).toEqual(['own', 'near', 'far']);
    expect(new Set(cubes.map(({ x, y, z }) => `${x} ${y} ${z}`)).size).toBe(24);
  });
  it('puts cuboids of further dimensions next to each other', () => {
    const six = syntheticTorus([2, 2, 2, 2, 2, 2]);
    const cubes = cubesOf(readTorus(six), six, [0, 1, 2, 3, 4, 5], six.hosts.map((host) => (host ? 'own' : '')), null, null);
    expect(new Set(cubes.map(({ x, y, z }) => `${x} ${y} ${z}`)).size).toBe(64);
    expect(Math.max(...cubes.map(({ x }) => x))).toBe(4.5);
  });
  it('divides a place among its jobs', () => {
    const twice = { ...shape, vertices: [...shape.vertices, 'other'], hosts: [...shape.hosts, 'other'], coordinates: Int32Array.from([...shape.coordinates, 0, 0, 0]) };
    const cubes = cubesOf(torus, twice, [0, 1, 2], twice.hosts.map((host) => (host === 'other' ? 'near' : host === 'node1' ? 'own' : '')), null, null);
    expect(cubes.slice(0, 2).map(({ job, x, width }) => [job, x, width])).toEqual([['own', -0.165, 0.33], ['near', 0.165, 0.33]]);
  });
  it('is taken from the load of the nodes’ links where it is not known', () => {
    const linked = { ...shape, sources: Int32Array.of(24, 0), targets: Int32Array.of(0, 24) };
    const step = { load: Float32Array.of(1, 5), high: null, job: Uint16Array.of(0, 1), waiting: new Float32Array(2), greatest: 5 };
    expect(jobsOfVertices(linked, null, step, ['a', 'b']).filter(Boolean)).toEqual(['b']);
  });
  it('weighs jobs by what they are to the chosen one', () => {
    expect([weightOf('', null, null), weightOf('a', null, null), weightOf('a', 'b', null), weightOf('a', 'b', ['c']), weightOf('b', 'b', [])]).toEqual(['free', 'conflict', 'conflict', 'faint', 'victim']);
  });
});
