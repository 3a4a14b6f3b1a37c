// The running jobs in words, and the nodes that they are on.
import type { NowAnswer, NowRow } from '../../api/api-types';
import { count, points } from '../../format/format';

/** A job loses time if it is at least this part of it, percent. */
const LOSES = 1;
/** The loss, percent, at which a node has the full colour. */
const FULL = 25;

/** Says how many jobs run, and how many of them lose time. */
export function headline({ jobs }: NowAnswer): string {
  const running = jobs.filter((job) => job.running).length;
  if (!jobs.length) return 'No job runs now';
  const losing = jobs.filter((job) => job.now_percent >= LOSES).length;
  return `${count(running, 'job')} ${running === 1 ? 'runs' : 'run'}, ${losing ? `${losing} lose${losing === 1 ? 's' : ''} time to others` : 'none loses time to others'}`;
}

/** What a job loses now, in percent; or that nothing is known yet. */
export const nowWords = (job: NowRow): string => (job.learning && !job.now_percent ? 'not known yet' : `${points(job.now_percent)} %`);

export interface NodeTile {
  host: string;
  /** Largest loss of the jobs on it, percent. */
  percent: number;
  /** The loss from 0 to 1, as a colour has it. */
  part: number;
  /** Its jobs, those that lose most first. */
  jobs: string[];
}

/** Returns the nodes of the running jobs by name, each with what its jobs lose. */
export function nodeTiles(jobs: readonly NowRow[]): NodeTile[] {
  const tiles = new Map<string, NodeTile>();
  for (const job of [...jobs].sort((a, b) => b.now_percent - a.now_percent)) {
    for (const host of job.nodes) {
      const tile = tiles.get(host) ?? { host, percent: 0, part: 0, jobs: [] };
      tile.percent = Math.max(tile.percent, job.now_percent);
      tile.part = Math.min(tile.percent / FULL, 1);
      tile.jobs.push(job.job);
      tiles.set(host, tile);
    }
  }
  return [...tiles.values()].sort((a, b) => a.host.localeCompare(b.host, 'en', { numeric: true }));
}
