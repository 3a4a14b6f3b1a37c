// A fabric as the views draw it: its shape, what its links carry at one time step, and whose that is. Pure.
import type { Shape } from '../../api/api-types';
import type { LoadBlock } from '../../api/fabrics';

/** What a link is for; a place in this list is its number. */
export const LINK_KINDS = ['terminal', 'up', 'down', 'dimension', 'local', 'global', 'other'] as const;
export type LinkKind = (typeof LINK_KINDS)[number];
export type FabricKind = 'torus' | 'mesh' | 'fat tree' | 'dragonfly' | 'tree' | 'graph';

/** The vertices and links of a fabric (jostle.topology.Topology). A vertex is a node's adapter or a switch. */
export interface FabricShape {
  name: string; kind: FabricKind; valid_from_ns: number;
  /** Of a torus or mesh, its dimensions, their lengths, and whether their ends are joined. */
  dimensions: string[]; sizes: number[]; wraps: boolean[];
  /** Of each vertex; `hosts` has '' for switches, `levels`, `groups` and `coordinates` have -1 for none. */
  vertices: string[]; hosts: string[]; levels: Int32Array; groups: Int32Array; planes: Int32Array;
  /** Vertices × dimensions, vertex by vertex. */
  coordinates: Int32Array;
  /** Of each link: where it begins and ends, its rate in bit/s (0: unknown), how many cables it stands for. */
  sources: Int32Array; targets: Int32Array; rates: Float64Array; lanes: Int32Array;
  /** Of each link: its place in LINK_KINDS; its dimension (-1: none) and direction along it, +1 or -1 (0: none). */
  link_kinds: Uint8Array; link_dimensions: Int32Array; link_signs: Int8Array;
  /** Of each link, its name: `leaf1 > spine2`. */
  link_names: string[];
}

/** What the links carry at the shown time step. */
export interface StepLoads {
  /** Of each link, bytes/s: measured, else routed the shortest way. */
  load: Float32Array;
  /** Of each link, the most that adaptive routing can have put there; null: nowhere more than `load`. */
  high: Float32Array | null;
  /** Of each link, the place of the job with the most load; NO_JOB: none. */
  job: Uint16Array;
  /** Of each link, the share of the time that its port waited; NaN: not known. */
  waiting: Float32Array;
  /** The greatest load of all links and all time steps: the end of the ramp. */
  greatest: number;
}
export const NO_JOB = 65535;

/** The jobs of a fabric in the order of `StepLoads.job`, and the token of tokens.css that each is drawn in. */
export interface JobColours { names: readonly string[]; tokens: readonly string[] }

export type Colour = 'traffic' | 'waiting' | 'job';

/** The time of a page, cut into steps, and the shown one. */
export interface FabricTime { from_ns: number; to_ns: number; steps: number; count: number; step: number; revision: number }

/** What every view of a fabric is given; a view is chosen by the kind of the fabric. */
export interface ViewProps {
  shape: FabricShape; step: StepLoads; jobs: JobColours; colour: Colour;
  /** The time that is shown, as requests name it, and the number of the shown step. */
  time: FabricTime;
  /** The chosen link, and what is called when another one is chosen. */
  selected: number | null; onselect: (link: number | null) => void;
  /** A job whose links are shown before all others. */
  highlight: string | null;
  /** What the view keeps in the address, such as the order of dimensions; the view alone reads it. */
  view: string; onview: (text: string) => void;
  /** Called with the visible links; null: all links of the fabric are visible. */
  onlinks?: (links: readonly number[] | null) => void;
  /** Who sits where, for views that ask for it (`asksForPlacement`); null: not known yet. */
  placed?: Placed | null;
}
/** Which job is on which node (by host, a place in `jobs`), and which jobs share links with the highlighted one. */
export interface Placed { jobs: readonly string[]; job_of: Readonly<Record<string, number>>; conflicting: readonly string[] }

/** Jobs beyond these share a colour. */
const JOB_TOKENS = ['load-0', 'heat-1', 'load-2', 'load-4', 'load-1', 'heat-2', 'load-3', 'load-5'];
/** Gives each job a colour, the greatest first; the smaller ones share one. */
export function jobColours(names: readonly string[]): JobColours {
  return { names, tokens: names.map((name, at) => (name === '' ? 'load-rest' : (JOB_TOKENS[at] ?? 'load-small'))) };
}

/** The job of a link or cell in words: `mostly relax-0001`; a highlighted job is named before busier ones: `with relax-0001`; '': none. */
export function jobWords(jobs: JobColours, who: number, highlight: string | null): string {
  if (who === NO_JOB) return '';
  const name = jobs.names[who] || 'no known job';
  return `${name === highlight ? 'with' : 'mostly'} ${name}`;
}

/** Turns the lists of an answer into arrays. */
export function shapeOf(answer: Shape): FabricShape {
  const kinds = answer.link_kinds.map((kind) => LINK_KINDS.indexOf((answer.kinds[kind] ?? 'other') as LinkKind));
  return {
    ...answer, kind: answer.kind as FabricKind,
    levels: Int32Array.from(answer.levels), groups: Int32Array.from(answer.groups), planes: Int32Array.from(answer.planes),
    coordinates: Int32Array.from(answer.coordinates.flat()),
    sources: Int32Array.from(answer.sources), targets: Int32Array.from(answer.targets),
    rates: Float64Array.from(answer.rates), lanes: Int32Array.from(answer.lanes),
    link_kinds: Uint8Array.from(kinds), link_dimensions: Int32Array.from(answer.link_dimensions), link_signs: Int8Array.from(answer.link_signs),
  };
}

let nobody = new Float32Array(0);
/** Waiting that no port measures: the same array each time. */
const unknown = (links: number) => (nobody.length === links ? nobody : (nobody = new Float32Array(links).fill(NaN)));

/** Returns what the links carry at a step of a block; no numbers are copied. */
export function stepOf(block: LoadBlock, step: number, greatest: number): StepLoads {
  const [from, to] = [(step - block.first) * block.links, (step - block.first + 1) * block.links];
  return { load: block.load.subarray(from, to), high: block.high?.subarray(from, to) ?? null, job: block.job.subarray(from, to), waiting: block.waiting?.subarray(from, to) ?? unknown(block.links), greatest };
}

/** The part of a link's rate that it carries; null: its rate is not known. */
export const partOfRate = (shape: FabricShape, load: number, link: number): number | null =>
  shape.rates[link] ? (8 * load) / shape.rates[link] : null;
