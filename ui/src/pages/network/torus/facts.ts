// What the lines of a torus' views say: in words. Pure.
import { bytes, count, digits } from '../../../format/format';
import { NO_JOB, type FabricShape, type JobColours, type StepLoads } from '../fabric';
import { lineJobs, linesOf, linksOf, type Picture } from './picture';
import { planeName, planePlaces, slotOf, type Torus } from './torus';

const percent = (share: number) => `${digits(100 * share)} %`;

/** Says what a line stands for, what it carries, and whose that is. */
export function describeLine(shape: FabricShape, picture: Picture, line: number, step: StepLoads, jobs: JobColours): string {
  if (line < 0 || line >= linesOf(picture)) return '';
  const links = [...linksOf(picture, line)];
  const [first = 0] = links;
  const dimension = shape.dimensions[shape.link_dimensions[first] ?? -1] ?? '';
  const all = (of: Int8Array | Int32Array) => links.every((link) => of[link] === of[first]);
  const way = `${dimension}${!all(shape.link_signs) ? '' : (shape.link_signs[first] ?? 0) < 0 ? '−' : '+'}`;
  // The polygons put both ways of a dimension together: what leaves a node, or what comes in.
  const end = all(shape.sources) ? ` out of ${shape.vertices[shape.sources[first] ?? 0]}` : all(shape.targets) ? ` into ${shape.vertices[shape.targets[first] ?? 0]}` : '';
  const sum = links.reduce((all, link) => all + (step.load[link] ?? 0), 0);
  const most = links.reduce((all, link) => Math.max(all, step.load[link] ?? 0), 0);
  const waits = links.map((link) => step.waiting[link] ?? NaN).filter((share) => !Number.isNaN(share));
  const job = lineJobs(picture, step, jobs.names.length)[line] ?? NO_JOB;
  const rate = links.length === 1 ? (shape.rates[first] ?? 0) / 8 : 0;
  return [
    links.length === 1 ? `${shape.link_names[first] ?? ''} (${way})` : `${count(links.length, 'link')}${end} along ${way}`,
    links.length === 1 ? `${bytes(sum)}/s${rate ? ` of ${bytes(rate)}/s` : ''}` : `${bytes(sum)}/s together, ${bytes(sum / links.length)}/s each on average, at most ${bytes(most)}/s`,
    ...(waits.length ? [`waited ${percent(waits.reduce((all, share) => all + share, 0) / waits.length)} of the time`] : []),
    job === NO_JOB ? 'no job' : `${links.length === 1 ? '' : 'most of it '}${jobs.names[job] || 'no known job'}`,
  ].join(' · ');
}

/** Returns the links that leave the nodes of a plane, along all dimensions. */
export function linksOfPlane(torus: Torus, order: readonly number[], plane: number): number[] {
  return planePlaces(torus, order, plane).flatMap((place) => [...torus.links.subarray(
    torus.starts[slotOf(torus, place, 0, true)] ?? 0, torus.starts[slotOf(torus, place + 1, 0, true)] ?? torus.links.length)]);
}

/** Says what a plane carries. */
export function describePlane(torus: Torus, order: readonly number[], plane: number, step: StepLoads): string {
  const loads = linksOfPlane(torus, order, plane).map((link) => step.load[link] ?? 0);
  const sum = loads.reduce((all, load) => all + load, 0);
  const name = planeName(torus, order, plane);
  return `Plane ${name || 'of the whole torus'}: ${count(loads.length, 'link')}, ${bytes(sum)}/s together, at most ${bytes(Math.max(0, ...loads))}/s`;
}

/** What a level of the order is for. */
export function rolesOf(directions: readonly string[]): string[] {
  return directions.map((direction, level) => {
    if (level < 2) return level === 0 ? 'plane, across' : 'plane, down';
    if (level === 2) return 'planes in a cuboid';
    return `cuboids ${direction}${directions.slice(3, level).includes(direction) ? ', outer' : ''}`;
  });
}

/** What a level of the order is for in three dimensions. */
export const solidRoles = (levels: number): string[] =>
  Array.from({ length: levels }, (_, level) => ['along x', 'along y', 'along z', 'cuboids along x', 'cuboids along y', 'cuboids along z'][level] ?? '');
