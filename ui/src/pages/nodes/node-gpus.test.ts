import { expect, test } from 'vitest';
import type { NodeDifference, NodeGpus } from '../../api/api-types';
import { differenceId, gpuLanes, gpuText, gpuViews } from './node-gpus';

const gpu = (name: string, slowed: NodeGpus['gpus'][number]['slowed'] = []): NodeGpus['gpus'][number] => ({
  host: 'n1', gpu: name, path: '', memory_bytes: 0, start_ns: 0, step_ns: 1e9, slowed,
  views: [
    { name: 'pcie', title: 'PCIe', unit: 'bytes/s', lines: [{ name: 'to it', values: [1, 2] }, { name: 'from it', values: [0, 3] }] },
    { name: 'computing', title: 'Computing', unit: '%', lines: [{ name: 'computing', values: [50, null] }] },
  ],
});
const worse = { host: 'n1', kind: 'gpu', component: 'a', what: 'GPU a: clock under load' } as NodeDifference;

test('views come in one order, those without a value are missing', () => {
  expect(gpuViews([gpu('a'), gpu('b')])).toEqual([['computing', 'Computing'], ['pcie', 'PCIe']]);
  expect(gpuViews([])).toEqual([]);
});

test('a GPU that is worse than its peers leads to what is known of it; slowed times are marks', () => {
  const [a, b] = gpuLanes([gpu('a', [{ start_ns: 1e9, end_ns: 2e9, share: 0.4, words: 'hot' }]), gpu('b')], 'pcie', [worse]);
  expect(a).toMatchObject({ about: 'worse than its peers', href: `#${differenceId(worse)}`, marks: [{ from: 1, to: 2, words: 'hot' }] });
  expect(b).toMatchObject({ about: '', href: undefined, marks: [] });
  expect(b?.second?.names).toEqual(['to it', 'from it']);
  expect(gpuLanes([gpu('a')], 'computing', [])[0]?.second).toBeUndefined();
});

test('values read in their own units', () => {
  expect(['computing', 'memory', 'clock', 'power', 'pcie', 'errors'].map((view) => gpuText(1024, view))).toEqual(['1024 %', '1.00 KiB', '1024 MHz', '1024 W', '1.00 KiB/s', '1024']);
});
