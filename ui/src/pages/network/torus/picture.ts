// A picture of lines, each standing for one or more links; the same for all views of a torus. Pure.
import { NO_JOB, type Colour, type StepLoads } from '../fabric';

export type BoxKind = 'plane' | 'cuboid' | 'block' | 'bar' | 'polygon' | 'node';
export interface Box { kind: BoxKind; x: number; y: number; width: number; height: number; /** A number of the view's: of the plane or the place. */ of: number }
/** A scale next to a picture: the places of one dimension. */
export interface Ruler { name: string; ticks: readonly { from: number; to: number; text: string }[] }

/** Lengths are in units: about the distance of two neighbours. */
export interface Picture {
  width: number; height: number;
  /** Width of the thickest lines. */
  thick: number;
  /** What of its links a line shows: their mean where it sums up many places, the most of the two ways that leave a node. */
  shows: 'mean' | 'most';
  /** x and y of both ends of each segment. */
  segments: Float32Array;
  /** Of each segment, the line that it is a part of: a loop-back has two. */
  lines: Int32Array;
  /** `links[starts[line]]` to `links[starts[line + 1]]` are what a line stands for. */
  starts: Int32Array; links: Int32Array;
  boxes: readonly Box[];
  /** x and y of each node, and its place in the torus. */
  nodes: Float32Array; places: Int32Array;
  /** Outlines that are no boxes, such as polygons: x and y in turn, one closed path each. */
  outlines: readonly Float32Array[];
  top: readonly Ruler[]; left: readonly Ruler[];
  labels: readonly { x: number; y: number; text: string }[];
}

/** Collects the lines of a picture. */
export class PictureLines {
  private readonly segments: number[] = [];
  private readonly lineOf: number[] = [];
  private readonly starts: number[] = [0];
  private readonly links: number[] = [];

  /** Begins a line that stands for these links. */
  add(links: Iterable<number>): void {
    for (const link of links) this.links.push(link);
    this.starts.push(this.links.length);
  }
  /** Adds a segment to the last line. */
  segment(x0: number, y0: number, x1: number, y1: number): void {
    this.segments.push(x0, y0, x1, y1);
    this.lineOf.push(this.starts.length - 2);
  }
  get parts() {
    return { segments: new Float32Array(this.segments), lines: new Int32Array(this.lineOf), starts: new Int32Array(this.starts), links: new Int32Array(this.links) };
  }
}

export const linesOf = (picture: Picture) => picture.starts.length - 1;
export const linksOf = (picture: Picture, line: number) => picture.links.subarray(picture.starts[line] ?? 0, picture.starts[line + 1] ?? 0);

/** Returns the lines that stand for a link: the polygons show each one twice, where it begins and where it ends. */
export function linesWith(picture: Picture, link: number | null): number[] {
  const lines: number[] = [];
  if (link === null) return lines;
  for (let at = picture.links.indexOf(link), line = 0; at >= 0; at = picture.links.indexOf(link, at + 1)) {
    while ((picture.starts[line + 1] ?? Infinity) <= at) line += 1;
    lines.push(line);
  }
  return lines;
}

/** Returns what each line shows of its links' bytes/s, or shares of time; NaN: not known of any. */
export function lineValues(picture: Picture, values: Float32Array): Float32Array {
  const { starts, links, shows } = picture;
  const shown = new Float32Array(linesOf(picture));
  for (let line = 0; line < shown.length; line += 1) {
    const end = starts[line + 1] ?? 0;
    let [sum, most, known] = [0, 0, 0];
    for (let at = starts[line] ?? 0; at < end; at += 1) {
      const value = values[links[at] ?? 0] ?? NaN;
      if (value === value) { sum += value; known += 1; if (value > most) most = value; }
    }
    shown[line] = !known ? NaN : shows === 'mean' ? sum / known : most;
  }
  return shown;
}

/** Returns the job with the most load on each line; NO_JOB: none. */
export function lineJobs(picture: Picture, step: StepLoads, jobs: number): Uint16Array {
  const { starts, links } = picture;
  const chosen = new Uint16Array(linesOf(picture)).fill(NO_JOB);
  const sums = new Float64Array(jobs);
  for (let line = 0; line < chosen.length; line += 1) {
    const [begin, end] = [starts[line] ?? 0, starts[line + 1] ?? 0];
    let most = 0;
    for (let at = begin; at < end; at += 1) {
      const link = links[at] ?? 0;
      const job = step.job[link] ?? NO_JOB;
      if (job >= jobs) continue;
      const sum = (sums[job] = (sums[job] ?? 0) + (step.load[link] ?? 0));
      if (sum >= most) { most = sum; chosen[line] = job; }
    }
    for (let at = begin; at < end; at += 1) { const job = step.job[links[at] ?? 0] ?? NO_JOB; if (job < jobs) sums[job] = 0; }
  }
  return chosen;
}

/** Shades of a ramp: 0 is no traffic, the last one the most. */
export const SHADES = 12;
/** Widths of lines that are coloured by job. */
const WIDTHS = 4;
/** An ink is a colour with a width; a paler half follows for what is not highlighted. */
export interface Ink { colour: 'none' | 'unknown' | 'ramp' | 'job'; /** Place on the ramp, 0 to 1, or the job's token. */ shade: number; token: string; /** 0 to 1. */ width: number; pale: boolean }

const EMPTY: Ink = { colour: 'none', shade: 0, token: '', width: 0, pale: false };
/** Returns the inks of a way to colour. */
export function inksOf(colour: Colour, tokens: readonly string[]): Ink[] {
  const some: Ink[] = [{ ...EMPTY, colour: 'unknown' }, EMPTY];
  if (colour === 'job') {
    for (const token of new Set(tokens)) for (let width = 1; width <= WIDTHS; width += 1) some.push({ ...EMPTY, colour: 'job', token, width: width / WIDTHS });
  } else for (let shade = 1; shade <= SHADES; shade += 1) some.push({ ...EMPTY, colour: 'ramp', shade: shade / SHADES, width: shade / SHADES });
  return [...some, ...some.map((ink) => ({ ...ink, pale: true }))];
}

export interface InkChoice { colour: Colour; tokens: readonly string[]; /** The job whose lines are not pale; null: all. */ highlight: number | null }
/** Returns the number of the ink of each line. */
export function inkLines(picture: Picture, step: StepLoads, { colour, tokens, highlight }: InkChoice): Uint8Array {
  const inks = new Uint8Array(linesOf(picture));
  const values = lineValues(picture, colour === 'waiting' ? step.waiting : step.load);
  const byJob = colour === 'job' || highlight !== null;
  const jobs = byJob ? lineJobs(picture, step, tokens.length) : null;
  const distinct = [...new Set(tokens)];
  const tokenOf = tokens.map((token) => distinct.indexOf(token));
  const steps = colour === 'job' ? WIDTHS : SHADES;
  const pale = 2 + (colour === 'job' ? distinct.length * WIDTHS : SHADES);
  // Roots of loads, as in ../link-paint.ts: a tenth of the greatest load must still be seen.
  const part = (value: number) => (colour === 'waiting' ? value : Math.sqrt(value / (step.greatest || 1)));
  for (let line = 0; line < inks.length; line += 1) {
    const value = values[line] ?? NaN;
    const job = jobs ? (jobs[line] ?? NO_JOB) : NO_JOB;
    let ink = 0;
    if (value === value) {
      const shade = value > 0 ? Math.min(Math.max(Math.ceil(part(value) * steps), 1), steps) : 0;
      if (shade === 0 || (colour === 'job' && job === NO_JOB)) ink = 1;
      else ink = 1 + shade + (colour === 'job' ? (tokenOf[job] ?? 0) * WIDTHS : 0);
    }
    inks[line] = highlight !== null && job !== highlight ? ink + pale : ink;
  }
  return inks;
}

/** The segments of a picture, those of one ink next to each other: `order[starts[ink]]` to `order[starts[ink + 1]]`. */
export interface Sorted { order: Int32Array; starts: Int32Array }
export function sortByInk(picture: Picture, inks: Uint8Array, count: number): Sorted {
  const { lines } = picture;
  const starts = new Int32Array(count + 1);
  for (let at = 0; at < lines.length; at += 1) { const ink = inks[lines[at] ?? 0] ?? 0; starts[ink + 1] = (starts[ink + 1] ?? 0) + 1; }
  for (let ink = 1; ink <= count; ink += 1) starts[ink] = (starts[ink] ?? 0) + (starts[ink - 1] ?? 0);
  const [order, next] = [new Int32Array(lines.length), starts.slice()];
  for (let at = 0; at < lines.length; at += 1) {
    const ink = inks[lines[at] ?? 0] ?? 0;
    order[next[ink] ?? 0] = at;
    next[ink] = (next[ink] ?? 0) + 1;
  }
  return { order, starts };
}

/** Returns the line nearest to a point, -1 if none is within the reach. */
export function nearestLine(picture: Picture, x: number, y: number, reach: number): number {
  const { segments, lines } = picture;
  let [best, least] = [-1, reach * reach];
  for (let at = 0; at < lines.length; at += 1) {
    const [x0, y0] = [segments[4 * at] ?? 0, segments[4 * at + 1] ?? 0];
    const [dx, dy] = [(segments[4 * at + 2] ?? 0) - x0, (segments[4 * at + 3] ?? 0) - y0];
    const along = Math.min(Math.max(((x - x0) * dx + (y - y0) * dy) / (dx * dx + dy * dy || 1), 0), 1);
    const [ex, ey] = [x - x0 - along * dx, y - y0 - along * dy];
    const distance = ex * ex + ey * ey;
    if (distance < least) { least = distance; best = lines[at] ?? -1; }
  }
  return best;
}

/** Returns the innermost box of a kind that holds a point. */
export const boxAt = (picture: Picture, kind: BoxKind, x: number, y: number): Box | undefined =>
  picture.boxes.find((box) => box.kind === kind && x >= box.x && y >= box.y && x <= box.x + box.width && y <= box.y + box.height);

/** Returns the link that a click on a line chooses: the one with the most load, and with each further click the next. */
export function linkToChoose(picture: Picture, line: number, load: Float32Array, chosen: number | null): number | null {
  const links = [...linksOf(picture, line)].sort((a, b) => (load[b] ?? 0) - (load[a] ?? 0) || a - b);
  const at = chosen === null ? -1 : links.indexOf(chosen);
  return links[(at + 1) % Math.max(links.length, 1)] ?? null;
}
