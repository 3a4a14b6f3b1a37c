// What the panel says of a link or switch. Pure.
import type { JobOnLink, OnLink } from '../../api/api-types';
import { bytes, count, points, seconds } from '../../format/format';

const perSecond = (value: number) => `${bytes(value)}/s`;

/** How the load is known, as a sentence. */
export function howKnown(on: OnLink): string {
  if (on.measured) return 'Measured: its ports count bytes.';
  return 'Routed: its ports were not read. The load follows from who sent how much to whom, and from the routes of this network.';
}

/** What it carries at a step: `carries 3.1 GiB/s, 25 % of its 12.4 GiB/s`. */
export function carries(on: OnLink, step: number): string {
  const load = on.load[step] ?? 0;
  if (load <= 0) return 'carries nothing at this time';
  const part = on.rate > 0 ? `, ${points((100 * load) / on.rate)} % of its ${perSecond(on.rate)}` : '';
  return `carries ${perSecond(load)}${part}`;
}

/** The interval of adaptive routing at a step; '': there is none. */
export function interval(on: OnLink, step: number): string {
  const [low, high] = [on.low[step] ?? 0, on.high[step] ?? 0];
  return !on.measured && high > low * 1.01 ? `Between ${perSecond(low)} and ${perSecond(high)}: this network routes adaptively, and may take detours.` : '';
}

/** The part of what the jobs sent here that a share of theirs stands for. */
function partOf(on: OnLink, share: (job: JobOnLink) => number): number {
  const whole = on.jobs.reduce((sum, job) => sum + job.bytes, 0);
  return on.jobs.reduce((sum, job) => sum + job.bytes * share(job), 0) / Math.max(whole, 1);
}

/** What is modelled or not known, in sentences; '': nothing. */
export function modelled(on: OnLink): string {
  const [model, even] = [partOf(on, (job) => job.modelled), partOf(on, (job) => job.spread)];
  return [
    model > 0.005 ? `About ${points(100 * model)} % of it is modelled: what a collective call sends inside the library cannot be seen.` : '',
    even > 0.005 ? `About ${points(100 * even)} % of it is divided evenly among the nodes of its jobs: to whom they sent was not recorded.` : '',
  ].filter(Boolean).join(' ');
}

/** Less than this is not worth a word, s. */
const LEAST_S = 0.005;

/** The role of a job here: suspect, victim, or only on it. */
export function roleOf(job: JobOnLink): 'suspect' | 'victim' | 'on it' {
  if (job.seconds_cost > LEAST_S) return 'suspect';
  return (job.seconds_lost ?? 0) > LEAST_S ? 'victim' : 'on it';
}

/** What a suspect or a victim did or suffered here. */
export const secondsOf = (job: JobOnLink): string =>
  roleOf(job) === 'suspect' ? `cost others ${seconds(job.seconds_cost)} here` : `lost ${seconds(job.seconds_lost ?? 0)} here`;

/** What being together here cost these jobs, as a sentence; it says which are not assessed yet. */
export function costText(on: OnLink): string {
  const named = on.jobs.filter((job) => job.job);
  const lost = named.reduce((sum, job) => sum + (job.seconds_lost ?? 0), 0);
  const open = named.filter((job) => job.seconds_lost === null).length;
  const waiting = open ? ` ${open === named.length ? 'None of them has' : `${count(open, 'job')} ${open === 1 ? 'has' : 'have'} no`} ${open === named.length ? 'a verdict yet' : 'verdict yet'}: open a job to have it assessed.` : '';
  if (lost > LEAST_S) return `Together they lost ${seconds(lost)} to one another here.${waiting}`;
  return open === named.length ? waiting.trim() : `By their verdicts, nobody lost time here.${waiting}`;
}
