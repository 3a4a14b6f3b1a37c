// What the lanes of servers and nodes show, and how their values read. Pure.
import type { MachineLanes } from '../../api/api-types';
import type { Lane } from '../../charts/time/lanes';
import { digits, points, rate } from '../../format/format';

export type View = readonly [string, string];

type Server = MachineLanes['servers'][number];
type ServerView = 'bytes' | 'metadata' | 'request_ms' | 'metadata_ms' | 'busy';

const SERVER: readonly (readonly [ServerView, string])[] = [['bytes', 'Bytes'], ['metadata', 'Metadata requests'], ['request_ms', 'Time per request'], ['metadata_ms', 'Time per metadata request'], ['busy', 'Disks busy']];
export const NODE_VIEWS: readonly View[] = [['cpu', 'CPU'], ['waits_cpu', 'Waits for cores'], ['waits_io', 'Waits for storage'], ['waits_memory', 'Waits for memory']];
/** Nodes with a lane of their own; the others did less. */
export const MOST_NODES = 12;

const isKnown = (server: Server, view: ServerView) => server[view]?.some((value) => value !== null && (value > 0 || view === 'busy')) ?? false;

/** Returns the views of servers that a viewer may see: of metadata only where a server has some. */
export function serverViews(lanes: MachineLanes): readonly View[] {
  const counted = lanes.servers.some((server) => server.bytes !== null);
  return SERVER.filter(([view]) => (view.startsWith('metadata') ? lanes.servers.some((server) => isKnown(server, view)) : view !== 'bytes' || counted));
}

const about = (server: Server) => (server.part === 'file system' ? server.mount : `${server.part} of ${server.mount}`);

export function serverLanes(lanes: MachineLanes, view: string): Lane[] {
  const [known] = SERVER.find(([id]) => id === view) ?? ['request_ms' as const];
  return lanes.servers.map((server) => ({ name: server.host, about: about(server), values: server[known] ?? [] }));
}

/** Returns the nodes with the largest values, in their order. */
export function nodeLanes(lanes: MachineLanes, view: string, span?: readonly [number, number]): Lane[] {
  const when = span ? `?from=${span[0].toFixed(3)}&to=${span[1].toFixed(3)}` : '';
  const every = lanes.nodes.map((node) => ({ name: node.host, about: '', href: `/nodes/${encodeURIComponent(node.host)}${when}`, values: view === 'waits_cpu' ? node.waits_cpu : view === 'waits_io' ? node.waits_io : view === 'waits_memory' ? node.waits_memory : node.cpu }));
  const sum = (lane: Lane) => lane.values.reduce((all: number, value) => all + (value ?? 0), 0);
  const largest = new Set([...every].sort((a, b) => sum(b) - sum(a)).slice(0, MOST_NODES));
  return every.filter((lane) => largest.has(lane));
}

/** Returns a value of a lane as text. */
export function laneText(value: number, view: string): string {
  if (view === 'bytes') return rate(value, 'bytes/s');
  if (view === 'metadata') return `${digits(value)} requests/s`;
  if (view === 'request_ms' || view === 'metadata_ms') return `${digits(value)} ms`;
  return `${points(100 * value)} %`;
}
