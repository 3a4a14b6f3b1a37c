// Series of GPUs as a stack of charts. Pure.
import type { JobGpus } from '../../../api/api-types';
import type { Panel } from '../../../charts/time/track';
import { linePanels, type Layers } from '../slices/slice-panels';

const COMPUTING = 'gpu_busy_ns';

/** Returns the charts of each GPU, line by line: those of a view in which a GPU did nothing are left out. */
export function gpuPanels(coarse: readonly JobGpus[], fine: readonly JobGpus[]): Panel[] {
  const first = coarse[0]?.gpus ?? [];
  const several = new Set(first.map((gpu) => gpu.host)).size > 1;
  return first.flatMap(({ host, gpu }) => coarse.flatMap((view, at) => {
    const find = (answer: JobGpus | undefined) => answer?.gpus.find((other) => other.host === host && other.gpu === gpu)?.series;
    const whole = find(view);
    if (!whole) return [];
    const layers: Layers = { coarse: whole, fine: find(fine[at]) };
    const busy = whole.lines.flatMap((line, n) => (line.mean.some((value) => value) ? [n] : []));
    return linePanels(layers, busy, several ? `${host} · ${gpu}` : gpu, '', 'own')
      .map((panel) => ({ ...panel, title: panel.title.replace(COMPUTING, 'computing') }));
  }));
}
