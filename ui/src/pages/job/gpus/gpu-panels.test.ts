import { expect, test } from 'vitest';
import type { JobGpus } from '../../../api/api-types';
import { gpuPanels } from './gpu-panels';

const view = (name: string, values: number[], gpu = 'a'): JobGpus => ({ gpus: [{ host: 'n', gpu, name: '', series: {
  metric: name, unit: 'bytes/s', start_ns: 0, step_ns: 1e9, few: false, lines: [{ name, low: values, mean: values, high: values }] } }] });

test('each GPU has a chart of every line in which it did anything', () => {
  const panels = gpuPanels([view('to GPUs', [1, 2]), view('gpu_busy_ns', [0, 0])], []);
  expect(panels.map((panel) => panel.title)).toEqual(['a, to GPUs']);
  expect(gpuPanels([view('gpu_busy_ns', [1])], [])[0]?.title).toBe('a, computing');
  expect(panels[0]?.track.mean).toEqual([1, 2, 2]);
});

test('finer steps are those of the same GPU', () => {
  const fine = view('to GPUs', [5]);
  for (const gpu of fine.gpus) gpu.series.step_ns = 5e8;
  expect(gpuPanels([view('to GPUs', [1, 2])], [fine])[0]?.track.mean).toContain(5);
  expect(gpuPanels([view('to GPUs', [1, 2], 'b')], [fine])[0]?.track.mean).not.toContain(5);
});
