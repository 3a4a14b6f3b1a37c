// Where the jobs sit in a torus, as boxes in three dimensions. Pure.
import { NO_JOB, type FabricShape, type Placed, type StepLoads } from '../fabric';
import { coordinate, type Torus } from './torus';

/** Returns the name of the job on each vertex, '' for none. Without a placement it is the job that loads the node's own links most. */
export function jobsOfVertices(shape: FabricShape, placed: Placed | null, step: StepLoads, names: readonly string[]): string[] {
  if (placed) return shape.hosts.map((host) => (host ? (placed.jobs[placed.job_of[host] ?? -1] ?? '') : ''));
  const most = new Float64Array(shape.hosts.length);
  const jobs = shape.hosts.map(() => '');
  for (let link = 0; link < shape.sources.length; link += 1) {
    const load = step.load[link] ?? 0;
    const job = step.job[link] ?? NO_JOB;
    for (const vertex of [shape.sources[link] ?? 0, shape.targets[link] ?? 0]) {
      if (!shape.hosts[vertex] || load <= (most[vertex] ?? 0) || job === NO_JOB) continue;
      most[vertex] = load;
      jobs[vertex] = names[job] ?? '';
    }
  }
  return jobs;
}

/** The victim is emphasised, jobs in conflict with it are in colour; others are faint, and free places are dots. */
export type Weight = 'victim' | 'conflict' | 'faint' | 'free';
export interface Cube { x: number; y: number; z: number; /** Along x: several jobs share a place. */ width: number; size: number; weight: Weight; job: string; place: number }
const SIZES: Record<Weight, number> = { victim: 0.86, conflict: 0.66, faint: 0.44, free: 0.12 };
/** Free room between two cuboids. */
const GAP = 1.5;

/** Returns what a job is to the chosen one; without a choice all jobs are in colour. */
export function weightOf(job: string, victim: string | null, conflicting: readonly string[] | null): Weight {
  if (!job) return 'free';
  if (victim === null) return 'conflict';
  if (job === victim) return 'victim';
  return conflicting === null || conflicting.includes(job) ? 'conflict' : 'faint';
}

/** Lays all places out: the first three dimensions of the order along x, y and z, the others as cuboids next to each other. */
export function cubesOf(torus: Torus, shape: FabricShape, order: readonly number[], jobs: readonly string[], victim: string | null, conflicting: readonly string[] | null): Cube[] {
  const count = torus.sizes.length;
  const at: Set<string>[] = Array.from({ length: torus.places }, () => new Set());
  shape.hosts.forEach((host, vertex) => {
    if (!host || !jobs[vertex]) return;
    const place = torus.strides.reduce((sum, stride, d) => sum + (shape.coordinates[vertex * count + d] ?? NaN) * stride, 0);
    at[place]?.add(jobs[vertex]);
  });
  const steps = order.map((dimension, level) => (level < 3 ? 1 : (torus.sizes[order[level - 3] ?? dimension] ?? 1) + GAP));
  const along = (place: number, axis: number) => order.reduce((sum, dimension, level) => sum + (level % 3 === axis ? coordinate(torus, place, dimension) * (steps[level] ?? 1) : 0), 0);
  return at.flatMap((names, place) => {
    const here = names.size ? [...names] : [''];
    const [x, y, z] = [along(place, 0), along(place, 1), along(place, 2)];
    return here.map((job, number) => {
      const weight = weightOf(job, victim, conflicting);
      const size = SIZES[weight];
      return { x: x + size * ((number + 0.5) / here.length - 0.5), y, z, width: size / here.length, size, weight, job, place };
    });
  });
}

/** Counts the places of each job, those of the victim first. */
export function placesOfJobs(cubes: readonly Cube[]): { job: string; weight: Weight; places: number }[] {
  const counts = new Map<string, { job: string; weight: Weight; places: number }>();
  for (const { job, weight } of cubes) {
    if (!job) continue;
    const known = counts.get(job) ?? { job, weight, places: 0 };
    known.places += 1;
    counts.set(job, known);
  }
  const rank: Weight[] = ['victim', 'conflict', 'faint', 'free'];
  return [...counts.values()].sort((a, b) => rank.indexOf(a.weight) - rank.indexOf(b.weight) || b.places - a.places);
}
