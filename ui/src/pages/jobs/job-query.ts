// The filters of the list of jobs: from the address to a request. Pure.
import type { BatchJob, Facets, JobRow, Jobs } from '../../api/api-types';
import type { Query } from '../../api/request';
import type { Sheet } from '../../export/export';
import { count, instant, points, seconds } from '../../format/format';

export const FACETS = ['light', 'cause', 'user', 'program', 'state'] as const;
export type Facet = (typeof FACETS)[number];
export const LIGHTS = ['red', 'yellow', 'green', 'undecided', 'none'] as const;

export interface FilterState extends Record<Facet, string[]> {
  search: string; sort: string; from: string; to: string; batch: string;
}

export function readFilters(query: URLSearchParams): FilterState {
  const all = (name: string) => query.getAll(name);
  return {
    search: query.get('search') ?? '', sort: query.get('sort') ?? '-start', from: query.get('from') ?? '', to: query.get('to') ?? '', batch: query.get('batch') ?? '',
    light: all('light'), cause: all('cause'), user: all('user'), program: all('program'), state: all('state'),
  };
}

/** Parses an instant of the address (UTC unless it names a zone) to ns; null: not an instant. */
const parseInstant = (text: string) => {
  const at = text ? new Date(/Z$|[+-]\d\d:\d\d$/.test(text) ? text : `${text}Z`).getTime() : NaN;
  return Number.isNaN(at) ? null : at * 1e6;
};

/** Returns the query of a request. */
export function jobsQuery(what: FilterState, offset: number, limit: number): Query {
  const { search, sort, from, to, batch, ...facets } = what;
  return { ...facets, search: search || null, batch: batch || null, sort, from_ns: parseInstant(from), to_ns: parseInstant(to), offset, limit };
}

export function isFiltered(what: FilterState): boolean {
  return Boolean(what.search || what.batch || what.from || what.to || FACETS.some((facet) => what[facet].length));
}

/** Returns values of a filter with their counts, most frequent first; chosen values stay even if no job has them. */
export function facetChoices(facets: Facets | undefined, facet: Facet, chosen: readonly string[], most = 200): [string, number][] {
  const counted = Object.entries(facets?.[facet] ?? {}).sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0])).slice(0, most);
  const gone = chosen.filter((value) => !counted.some(([known]) => known === value));
  return [...counted, ...gone.map((value): [string, number] => [value, facets?.[facet]?.[value] ?? 0])];
}

export const toggleValue = (values: readonly string[], value: string) =>
  values.includes(value) ? values.filter((other) => other !== value) : [...values, value];

/** Returns the first and the last row (exclusive) to load: those on the screen, and `spare` more on each side. */
export function visibleRows(top: number, height: number, row: number, total: number, spare = 8): [number, number] {
  const first = Math.max(Math.floor(-top / row) - spare, 0);
  return [Math.min(first, total), Math.max(Math.min(Math.ceil((height - top) / row) + spare, total), 0)];
}

/** The quantity of a sparkline, in short and in full. */
const ACTIVITY = { files: ['files', 'bytes read and written'], collectives: ['collectives', 'time of collectives of NCCL or gloo'], mpi: ['MPI', 'time in MPI'], cpu: ['CPU', 'CPU time'] } as const;

/** Describes a job's sparkline: a caption, and a sentence for the tooltip and screen readers; null: it has none. */
export function describeActivity({ spark, spark_of: of }: Pick<JobRow, 'spark' | 'spark_of'>): { short: string; description: string } | null {
  if (!of || !spark.some((value) => value > 0)) return null;
  const most = spark.indexOf(Math.max(...spark));
  return { short: ACTIVITY[of][0], description: `${ACTIVITY[of][1]} over its time, most ${Math.round((100 * (most + 0.5)) / spark.length)} % of the way through` };
}

/** Says what a batch job lost as a whole, or why that is not known. */
export function batchSentence({ title, parts, waiting, run_s: run, loss }: BatchJob): string {
  if (!loss) return `${title}: ${waiting} of ${count(parts, 'part')} ${waiting === 1 ? 'has' : 'have'} no verdict yet.`;
  if (!loss.lost_s || !loss.percent) return `${title}: ${loss.why}.`;
  const { value, low, high } = loss.lost_s;
  return `${title} lost ${seconds(value)} (${seconds(low)} to ${seconds(high)}) of ${seconds(run)}, ${points(loss.percent.value)} %${loss.cause ? `: ${loss.cause}` : ''}.`;
}

const MOST_ROWS = 500; // per answer
/** Loads all jobs that match the filters, as a sheet. */
export async function jobsSheet(what: FilterState, ask: (query: Query) => Promise<Jobs>): Promise<Sheet> {
  const rows: JobRow[] = [];
  for (let total = 1; rows.length < total;) {
    const answer = await ask(jobsQuery(what, rows.length, MOST_ROWS));
    if (!answer.jobs.length) break;
    rows.push(...answer.jobs);
    total = answer.total;
  }
  return {
    columns: ['job', 'program', 'user', 'start_utc', 'end_utc', 'running', 'processes', 'ranks', 'nodes', 'light', 'lost_percent', 'lost_s', 'cause'],
    rows: rows.map((row) => [
      row.job, row.program, row.user, instant(row.start_ns), instant(row.end_ns), row.running ? 'yes' : 'no', row.processes, row.ranks, row.nodes,
      row.verdict && (row.verdict.light ?? 'undecided'), row.verdict?.percent, row.verdict?.lost_s, row.verdict?.cause,
    ]),
  };
}
