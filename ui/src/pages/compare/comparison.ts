// The comparison of runs of one program: differences in run time as sentences and bars. Pure but for one request.
import { getJobs } from '../../api/jobs';
import type { JobRow, Compared, ComparedCluster } from '../../api/api-types';
import { seconds } from '../../format/format';

export type Kind = 'lost' | 'slower' | 'work' | 'unexplained';
/** A part of the difference to the fastest run that has one reason, s; negative: less time. */
export interface Piece { label: string; kind: Kind; seconds: number }

const CAUSES: Record<string, string> = { cpu: 'CPU', gpu: 'GPU', bus: 'transfers of GPUs', unknown: 'cause unknown', 'memory or cpu': 'memory or CPU (messages within the node)' };
/** The names of the kinds in the legend. */
export const KINDS: Record<Kind, string> = {
  lost: 'interference', slower: 'everything slower', work: 'other work', unexplained: 'not explained',
};

/** Splits the difference between a run and the fastest by reason; the pieces add up to the measured difference. */
export function pieces(comparison: Compared, run: number): Piece[] {
  const parts: Piece[] = Object.entries(comparison.by_cause).map(([cause, values]) => ({ label: CAUSES[cause] ?? cause, kind: 'lost', seconds: values[run] ?? 0 }));
  parts.push({ label: KINDS.slower, kind: 'slower', seconds: comparison.displaced_s[run] ?? 0 });
  parts.push({ label: KINDS.work, kind: 'work', seconds: comparison.work_s[run] ?? 0 });
  parts.push({ label: KINDS.unexplained, kind: 'unexplained', seconds: comparison.unexplained_s[run] ?? 0 });
  return parts.filter((piece) => Math.abs(piece.seconds) > 1e-6);
}

/** A smaller part of the fastest run time is no difference, as in `jostle compare`. */
const EQUAL = 0.01;
/** Pieces below these parts of the largest piece are not named next to a bar, and in the headline. */
const WORTH = 0.03;
const WORTH_A_HEADLINE = 0.2;

/** Returns a piece as part of a sentence: `2.4 s file system`, or `minus 400 ms of work`. */
function phrase(piece: Piece): string {
  if (piece.seconds > 0) return `${seconds(piece.seconds)} ${piece.label}`;
  const less: Record<Kind, string> = { lost: `lost to ${piece.label}`, slower: 'as everything else was faster', work: 'of work', unexplained: piece.label };
  return `minus ${seconds(-piece.seconds)} ${less[piece.kind]}`;
}

/** Lists what made a run longer, largest first, then what made it shorter. */
export function reasons(comparison: Compared, run: number, worth = WORTH): string {
  const sorted = pieces(comparison, run).sort((a, b) => Math.abs(b.seconds) - Math.abs(a.seconds));
  const least = worth * Math.max(...sorted.map((piece) => Math.abs(piece.seconds)), 0);
  const named = sorted.filter((piece) => Math.abs(piece.seconds) >= least);
  return [...named.filter((piece) => piece.seconds > 0), ...named.filter((piece) => piece.seconds < 0)].map(phrase).join(', ');
}

/** Returns the index of the longest run. */
export const slowest = (comparison: Compared): number => comparison.measured_s.indexOf(Math.max(...comparison.measured_s));

/** Returns the result of the comparison in one sentence. */
export function headline(comparison: Compared): string {
  const at = slowest(comparison);
  const [slow, fast] = [comparison.runs[at], comparison.runs[comparison.baseline]];
  const longer = comparison.measured_s[at] ?? 0;
  const alike = new Set(comparison.runs.map((run) => run.ranks)).size === 1;
  if (!slow || !fast || longer < EQUAL * fast.run_s || !alike) return comparison.finding;
  const why = reasons(comparison, at, WORTH_A_HEADLINE);
  return `${slow.job} took ${seconds(longer)} longer than ${fast.job}${why ? `: ${why}` : ''}`;
}

export interface Bar { piece: Piece; from: number; to: number }
/** Lays out the pieces of a run on a line, s: positive ones to the right of 0, negative ones to the left. */
export function bars(comparison: Compared, run: number): Bar[] {
  let [left, right] = [0, 0];
  return pieces(comparison, run).map((piece) => {
    const from = piece.seconds > 0 ? right : left + piece.seconds;
    if (piece.seconds > 0) right += piece.seconds;
    else left += piece.seconds;
    return { piece, from, to: from + Math.abs(piece.seconds) };
  });
}

/** Returns the runs to show for a cluster: those that have it, or all if the fastest has it. */
export const runsOfCluster = (comparison: Compared, row: ComparedCluster): number[] =>
  comparison.runs.flatMap((_, run) => ((row.members[run] ?? 0) > 0 || (row.members[comparison.baseline] ?? 0) > 0 ? [run] : []));

/** Returns the ends of the scale that all runs share, s. */
export function scale(comparison: Compared): [number, number] {
  const all = comparison.runs.flatMap((_, run) => bars(comparison, run));
  return [Math.min(0, ...all.map((bar) => bar.from)), Math.max(1e-9, ...comparison.measured_s, ...all.map((bar) => bar.to))];
}

export const signedSeconds = (value: number): string => (Math.abs(value) < 1e-6 ? '0' : value > 0 ? `+${seconds(value)}` : seconds(value));

/** Returns a ratio of run times, as in `jostle compare`. */
export const ratioLabel = (ratio: number | null | undefined): string => (typeof ratio === 'number' ? `${ratio.toFixed(2)} ×` : '–');

/** Whether a table of programs says more than that of the runs, as in `jostle compare`. */
export const areRepeated = ({ runs, groups }: Compared['run_times']): boolean => runs.length > 2 && groups.length < runs.length;

const MOST_ROWS = 500;
/** Loads the jobs to choose from: the newest ones, or all runs of the program of `first`. */
export async function loadCandidates(first: string, signal?: AbortSignal): Promise<JobRow[]> {
  if (!first) return (await getJobs({ limit: MOST_ROWS, sort: '-start' }, signal)).jobs;
  const own = (await getJobs({ search: first, limit: MOST_ROWS }, signal)).jobs.find((row) => row.job === first);
  if (!own) return [];
  const same = (await getJobs({ program: [own.program], limit: MOST_ROWS, sort: '-start' }, signal)).jobs;
  return same.some((row) => row.job === first) ? same : [own, ...same];
}

/** Returns the other runs of the chosen jobs' programs, newest first. */
export function otherRuns(rows: readonly JobRow[], chosen: readonly string[]): JobRow[] {
  const programs = new Set(rows.filter((row) => chosen.includes(row.job)).map((row) => row.program));
  return rows.filter((row) => !chosen.includes(row.job) && programs.has(row.program)).sort((a, b) => b.start_ns - a.start_ns);
}

/** Returns programs that ran more than once with their runs, those with most runs first. */
export function repeatedPrograms(rows: readonly JobRow[]): { program: string; runs: JobRow[] }[] {
  const byProgram = new Map<string, JobRow[]>();
  for (const row of rows) byProgram.set(row.program, [...(byProgram.get(row.program) ?? []), row]);
  return [...byProgram]
    .map(([program, runs]) => ({ program, runs: runs.sort((a, b) => b.start_ns - a.start_ns) }))
    .filter((entry) => entry.runs.length > 1)
    .sort((a, b) => b.runs.length - a.runs.length || a.program.localeCompare(b.program));
}

