// A digest as table rows, bars and sentences. Pure. The figures are those of the digest of the thesis (2.1.3).
import type { JobDigest, Spread, Figure, Figures } from '../../../api/api-types';
import { bytes, seconds } from '../../../format/format';

/** The position of this run among other runs; positions are parts of the width of the mark, 0 to 1. */
export interface Among { min: number; max: number; box: { q1: number; median: number; q3: number } | null; values: number[]; here: number; beyond: boolean; text: string; description: string }
export interface Line {
  name: string; total: string; least: string; mean: string; most: string;
  spread: { low: number; middle: number; high: number } | null; others: Among | null;
}

export const formatAmount = (value: number) =>
  value >= 1e6 ? `${(value / 1e6).toFixed(1)} M` : value >= 1e4 ? `${(value / 1e3).toFixed(1)} k` : String(Math.round(value));
const TEXTS: Record<Figure['unit'], (value: number) => string> = { bytes, ops: formatAmount, s: seconds };

export function figureLine(figure: Figure): Line {
  const write = TEXTS[figure.unit];
  const text = (value: number | null) => (value === null ? '' : write(value));
  const { least, mean, most } = figure;
  return {
    name: figure.name, total: write(figure.total), least: text(least), mean: text(mean), most: text(most),
    spread: least !== null && mean !== null && most ? { low: least / most, middle: mean / most, high: 1 } : null,
    others: among(figure, write),
  };
}

function among(figure: Figure, write: (value: number) => string): Among | null {
  const { others, total } = figure;
  if (!others) return null;
  const low = Math.min(others.min, total);
  const high = Math.max(others.max, total);
  // All values are equal: in the middle.
  const part = (value: number) => (high > low ? (value - low) / (high - low) : 0.5);
  const place = { min: part(others.min), max: part(others.max), here: part(total), values: others.values.map(part) };
  const { q1, median, q3 } = others;
  if (q1 === null || median === null || q3 === null) { // so few runs have no quarters
    const beyond = total < others.min || total > others.max;
    const text = others.min === others.max ? write(others.min) : `${write(others.min)} to ${write(others.max)}`;
    return { ...place, box: null, beyond, text, description: `other runs: ${others.values.map(write).join(', ')}` };
  }
  const side = total > q3 ? (total > others.max ? 'more than in any' : 'more than in three of four') : total < q1 ? (total < others.min ? 'less than in any' : 'less than in three of four') : 'as usual';
  return {
    ...place, box: { q1: part(q1), median: part(median), q3: part(q3) }, beyond: total < q1 || total > q3,
    text: write(median), description: `${side}; other runs ${write(others.min)} to ${write(others.max)}, median ${write(median)}`,
  };
}

/** Returns the shares of the ranks' time (without MPI, of all processes'), largest first, and last those that are not known. They overlap, so they do not add up to 1. */
export function timeShares(digest: JobDigest): { name: string; share: number | null }[] {
  return digest.shares.filter(({ share, seconds }) => (share === null ? seconds > 0 : share >= 0.005)).sort((a, b) => (b.share ?? -1) - (a.share ?? -1));
}

export function figureSheet(answer: Figures): { columns: string[]; rows: (string | number | null)[][] } {
  return {
    columns: ['figure', 'unit', 'total', 'least', 'mean', 'most', 'other_runs', 'others_min', 'others_q1', 'others_median', 'others_q3', 'others_max'],
    rows: answer.figures.map(({ name, unit, total, least, mean, most, others }) => [name, unit, total, least, mean, most, others?.runs ?? 0, ...(['min', 'q1', 'median', 'q3', 'max'] as const).map((key) => others?.[key] ?? null)]),
  };
}

export interface MountLine { mount: string; path: string; type: string; shared: boolean; processes: number; written: number; read: number; time_s: number; opens: number; service: number | null; pattern: string; reading: string }

const total = (metrics: Record<string, Spread>, which: RegExp) =>
  Object.entries(metrics).reduce((all, [id, spread]) => (which.test(id) ? all + spread.total : all), 0);

/** Returns the mounts, those with the most traffic first. */
export function mountLines(digest: JobDigest): MountLine[] {
  return digest.mounts.map((mount) => ({
    mount: mount.mount, path: mount.paths[0] ?? mount.mount, type: mount.type, shared: mount.shared, processes: mount.processes,
    written: total(mount.metrics, /^(posix|stdio)_write_bytes$/), read: total(mount.metrics, /^(posix|stdio)_read_bytes$/),
    time_s: total(mount.metrics, /^(posix|stdio)_(read|write|sync|meta)_ns$/) / 1e9, opens: total(mount.metrics, /^(posix|stdio)_open_ops$/),
    service: mount.rates['write_service']?.value ?? null, pattern: digest.writing.find((how) => how.mount === mount.mount)?.pattern ?? '',
    reading: digest.reading.find((how) => how.mount === mount.mount)?.pattern ?? '',
  })).sort((a, b) => b.written + b.read - a.written - a.read);
}

export function mountSheet(digest: JobDigest): { columns: string[]; rows: (string | number | null)[][] } {
  return {
    columns: ['mount', 'path', 'type', 'shared', 'processes', 'written_bytes', 'read_bytes', 'time_s', 'opens', 'write_bytes_per_s', 'pattern', 'read_pattern'],
    rows: mountLines(digest).map((line) => [line.mount, line.path, line.type, String(line.shared), line.processes, line.written, line.read, line.time_s, line.opens, line.service, line.pattern, line.reading]),
  };
}

export function gpuSheet(digest: JobDigest): { columns: string[]; rows: (string | number | null)[][] } {
  const columns = ['host', 'gpu', 'name', 'memory_bytes', 'to_bytes', 'back_bytes', 'within_bytes', 'peer_bytes', 'to_served', 'back_served', 'launches', 'busy_share', 'lost_records'] as const;
  return { columns: [...columns], rows: digest.gpus.map((gpu) => columns.map((column) => gpu[column])) };
}

/** Returns what a file is called: its path, a number where names are not recorded, or how many others. */
export function fileName(file: JobDigest['files'][number]): string {
  if (!file.hash) return `${file.files.toLocaleString('en')} other${file.files === 1 ? '' : 's'}`;
  return file.path || `file ${file.hash}`;
}

export function fileSheet(digest: JobDigest): { columns: string[]; rows: (string | number | null)[][] } {
  return {
    columns: ['file', 'mount', 'hash', 'format', 'files', 'processes', 'time_s', 'read_bytes', 'write_bytes', 'opens', 'reads', 'writes', 'syncs'],
    rows: digest.files.map((file) => [fileName(file), file.mount, file.hash, file.format, file.files, file.processes, file.seconds, file.read_bytes, file.write_bytes, file.opens, file.reads, file.writes, file.syncs]),
  };
}

/** Returns the smallest size of a bucket as text. */
export const bucketEdge = (bucket: number) => (bucket === 0 ? '0' : bytes(2 ** (bucket - 1)).replace('.00', '').replace(/(\.\d)0 /, '$1 '));

/** Returns the bars of a histogram, logarithmic so that one large bar does not hide the others. */
export function bars(histogram: readonly number[]): { n: number; height: number }[] {
  const most = Math.log1p(Math.max(...histogram, 1));
  return histogram.map((n) => ({ n, height: n ? Math.max(0.05, Math.log1p(n) / most) : 0 }));
}

/** Describes a histogram for screen readers. */
export function describeHistogram(histogram: readonly number[]): string {
  return histogram.flatMap((n, at) => (n ? [`${bucketEdge(at)} to ${bucketEdge(at + 1)}: ${n.toLocaleString('en')}`] : [])).join(', ');
}

const MOST_PHASES = 6;
/** Returns the phases in which the job wrote to mounts, or read from them, largest first. */
export function largestPhases(digest: JobDigest, patterns: JobDigest['writing']): { mount: string; pattern: string; bytes: number; start_ns: number; end_ns: number; evidence: string }[] {
  const path = (mount: string) => digest.mounts.find((entry) => entry.mount === mount)?.paths[0] ?? mount;
  return patterns.flatMap((pattern) => pattern.phases.map((phase) => ({ ...phase, mount: path(pattern.mount) }))).filter((phase) => phase.bytes > 0)
    .sort((a, b) => b.bytes - a.bytes).slice(0, MOST_PHASES);
}
