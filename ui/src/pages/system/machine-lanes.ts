// What the lanes of servers and nodes show, and how their values read. Pure.
import type { MachineLanes } from '../../api/api-types';
import type { Lane } from '../../charts/time/lanes';
import { digits, points, rate } from '../../format/format';

export type View = readonly [string, string];

const SERVER: readonly View[] = [['bytes', 'Bytes'], ['request_ms', 'Time per request'], ['busy', 'Disks busy']];
export const NODE_VIEWS: readonly View[] = [['cpu', 'CPU'], ['waits_cpu', 'Waits for cores'], ['waits_io', 'Waits for storage'], ['waits_memory', 'Waits for memory']];
/** Nodes with a lane of their own; the others did less. */
export const MOST_NODES = 12;

/** Returns the views of servers that a viewer may see. */
export const serverViews = (lanes: MachineLanes): readonly View[] => (lanes.servers.some((server) => server.bytes !== null) ? SERVER : SERVER.slice(1));

export function serverLanes(lanes: MachineLanes, view: string): Lane[] {
  return lanes.servers.map((server) => ({ name: server.host, about: server.mount, values: (view === 'bytes' ? server.bytes : view === 'busy' ? server.busy : server.request_ms) ?? [] }));
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
  if (view === 'request_ms') return `${digits(value)} ms`;
  return `${points(100 * value)} %`;
}
