import { expect, test } from 'vitest';
import type { MachineLanes } from '../../api/api-types';
import { MOST_NODES, laneText, nodeLanes, serverLanes, serverViews } from './machine-lanes';

const node = (number: number) => ({ host: `node${number}`, cpu: [number / 100, null], waits_cpu: [0, 0], waits_io: [0, 0.5], waits_memory: [null, null] });
const lanes: MachineLanes = {
  start_ns: 0, step_ns: 1e9, columns: 2, few: false,
  servers: [{ host: 'server0', mount: 'nfs:server0:/x', part: 'file system', bytes: [1024, 0], metadata: [0, 0], request_ms: [2, null], metadata_ms: [null, null], busy: [0.5, 0] }],
  nodes: Array.from({ length: 20 }, (_, number) => node(number)),
};

test('a server is shown with its file system', () => {
  expect(serverLanes(lanes, 'request_ms')).toEqual([{ name: 'server0', about: 'nfs:server0:/x', values: [2, null] }]);
});

test('who sees no bytes has no button for them', () => {
  expect(serverViews(lanes).map(([id]) => id)).toEqual(['bytes', 'request_ms', 'busy']);
  const servers = lanes.servers.map((server) => ({ ...server, bytes: null }));
  expect(serverViews({ ...lanes, servers }).map(([id]) => id)).toEqual(['request_ms', 'busy']);
});

test('a metadata server says what it is, and has views of its own', () => {
  const [server] = lanes.servers;
  if (!server) throw new Error('no server');
  const mds = { ...server, host: 's3', mount: 'ceph-fuse:/mnt', part: 'metadata server' as const, bytes: [0, 0], metadata: [1200, 0], request_ms: [null, null], metadata_ms: [0.25, null] };
  const both = { ...lanes, servers: [server, mds] };
  expect(serverViews(both).map(([id]) => id)).toEqual(['bytes', 'metadata', 'request_ms', 'metadata_ms', 'busy']);
  expect(serverLanes(both, 'metadata_ms')[1]).toEqual({ name: 's3', about: 'metadata server of ceph-fuse:/mnt', values: [0.25, null] });
  expect(laneText(1200, 'metadata')).toBe('1200 requests/s');
});

test('the nodes that did most have lanes, in their order', () => {
  const shown = nodeLanes(lanes, 'cpu');
  expect(shown).toHaveLength(MOST_NODES);
  expect(shown[0]?.name).toBe('node8');
  expect(nodeLanes(lanes, 'cpu', [1, 2])[0]?.href).toBe('/nodes/node8?from=1.000&to=2.000');
});

test('values read in their own units', () => {
  expect(laneText(2 ** 20, 'bytes')).toBe('1.00 MiB/s');
  expect(laneText(2.5, 'request_ms')).toBe('2.50 ms');
  expect(laneText(0.5, 'busy')).toBe('50 %');
});
