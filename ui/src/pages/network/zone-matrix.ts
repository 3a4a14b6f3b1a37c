// What zones of a fabric (leaves, groups, routers) sent to one another, as a matrix. Pure.
import type { ZoneBlock } from '../../api/fabrics';
import { jobWords, NO_JOB, type FabricShape, type JobColours } from './fabric';
import type { LinkPaints } from './link-paint';

/** The matrix of one step: from × to, row by row. */
export interface ZoneStep { zones: ZoneBlock['zones']; load: Float32Array; job: Uint16Array }

/** Returns how many switches have nodes. */
export function routers(shape: Pick<FabricShape, 'sources' | 'targets' | 'hosts'>): number {
  const found = new Set<number>();
  shape.sources.forEach((source, link) => { if (shape.hosts[source] !== '') found.add(shape.targets[link] ?? -1); });
  return found.size;
}

export function zoneStep(block: ZoneBlock, step: number): ZoneStep {
  const size = block.zones.length ** 2;
  const from = (step - block.first) * size;
  return { zones: block.zones, load: block.load.subarray(from, from + size), job: block.job.subarray(from, from + size) };
}

/** Returns the greatest value of a matrix. */
export function greatestOf(values: Float32Array): number {
  let most = 0;
  for (const value of values) if (value > most) most = value;
  return most;
}

/** Writes the colour of each cell as the four bytes of a pixel. */
export function paintZones(step: ZoneStep, greatest: number, byJob: boolean, paints: LinkPaints, pixels: Uint32Array) {
  const scale = greatest > 0 ? 255 / greatest : 0;
  for (let at = 0; at < pixels.length; at += 1) {
    const value = step.load[at] ?? 0;
    const ramp = byJob ? paints.jobs[step.job[at] ?? NO_JOB] : paints.traffic;
    pixels[at] = value > 0 && ramp ? (ramp[Math.min(Math.round(Math.sqrt(value * scale * 255)), 255)] ?? 0) : paints.idle;
  }
}

/** Returns the job of a cell in words; '': none. */
export const jobOfCell = (step: ZoneStep, cell: number, jobs: JobColours, highlight: string | null): string =>
  jobWords(jobs, step.job[cell] ?? NO_JOB, highlight);

/** The widest a cell may be, px, and the narrowest. */
const [WIDEST, NARROWEST] = [44, 3];
/** Returns the size of a cell of a square matrix in a width, px. */
export const cellSize = (zones: number, room: number): number => Math.min(Math.max(Math.floor(room / Math.max(zones, 1)), NARROWEST), WIDEST);
