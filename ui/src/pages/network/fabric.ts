// A fabric as the views draw it: its shape, what its links carry at one time step, and whose that is. Pure.

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
  /** Of each link, bytes/s; where routing is adaptive, the least. */
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

/** What every view of a fabric is given; a view is chosen by the kind of the fabric. */
export interface ViewProps {
  shape: FabricShape; step: StepLoads; jobs: JobColours; colour: Colour;
  /** The chosen link, and who is told of another one. */
  selected: number | null; onselect: (link: number | null) => void;
  /** A job whose links are shown before all others. */
  highlight: string | null;
  /** What the view keeps in the address, such as the order of dimensions; the view alone reads it. */
  view: string; onview: (text: string) => void;
}
