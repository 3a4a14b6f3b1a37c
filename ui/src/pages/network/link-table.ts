// The links as a table: the facts of the picture for keyboards and screen readers. Pure.
import { bytes, points } from '../../format/format';
import { NO_JOB, partOfRate, type FabricShape, type JobColours, type StepLoads } from './fabric';

export type Column = 'link' | 'load' | 'part' | 'job' | 'waiting';
export interface LinkRowText { link: number; name: string; load: string; part: string; job: string; waiting: string; how: 'measured' | 'routed' }

/** Returns the links in the order of a column; loads and parts from the greatest down, names from A up. `up` turns it round. */
export function sortedLinks(shape: FabricShape, step: StepLoads, jobs: JobColours, column: Column, up: boolean, search: string): number[] {
  const part = (link: number) => partOfRate(shape, step.load[link] ?? 0, link) ?? -1;
  const job = (link: number) => jobs.names[step.job[link] ?? NO_JOB] ?? '￿';
  const by: Record<Column, (a: number, b: number) => number> = {
    link: (a, b) => (shape.link_names[a] ?? '').localeCompare(shape.link_names[b] ?? '', 'en', { numeric: true }),
    load: (a, b) => (step.load[b] ?? 0) - (step.load[a] ?? 0),
    part: (a, b) => part(b) - part(a),
    job: (a, b) => job(a).localeCompare(job(b), 'en', { numeric: true }) || (step.load[b] ?? 0) - (step.load[a] ?? 0),
    waiting: (a, b) => (step.waiting[b] || 0) - (step.waiting[a] || 0),
  };
  const word = search.toLowerCase();
  const links: number[] = [];
  for (let link = 0; link < shape.link_names.length; link += 1) if (!word || (shape.link_names[link] ?? '').toLowerCase().includes(word)) links.push(link);
  links.sort((a, b) => by[column](a, b) || a - b);
  return up ? links.reverse() : links;
}

export function linkText(shape: FabricShape, step: StepLoads, jobs: JobColours, measured: ReadonlySet<number>, link: number): LinkRowText {
  const load = step.load[link] ?? 0;
  const part = partOfRate(shape, load, link);
  const waits = step.waiting[link] ?? NaN;
  const who = step.job[link] ?? NO_JOB;
  return {
    link, name: shape.link_names[link] ?? '', load: load > 0 ? `${bytes(load)}/s` : 'none', part: part === null ? 'not known' : `${points(100 * part)} %`,
    job: who === NO_JOB ? '' : jobs.names[who] || 'no known job', waiting: waits === waits ? `${points(100 * waits)} %` : '', how: measured.has(link) ? 'measured' : 'routed',
  };
}
