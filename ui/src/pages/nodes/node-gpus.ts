// GPUs of a node as lanes over time, and how their values read. Pure.
import type { NodeDifference, NodeGpus } from '../../api/api-types';
import type { Lane, Mark } from '../../charts/time/lanes';
import { bytes, digits, points, rate } from '../../format/format';

type Gpu = NodeGpus['gpus'][number];
const NS = 1e9;
/** Views whose values are bytes. */
export const IN_BYTES = ['memory', 'pcie', 'nvlink'];

/** Returns the views in which some GPU has a value: id and title. */
export function gpuViews(gpus: readonly Gpu[]): [string, string][] {
  const titles = new Map(gpus.flatMap((gpu) => gpu.views.map((view) => [view.name, view.title] as const)));
  return ['computing', 'memory', 'clock', 'power', 'pcie', 'nvlink', 'errors'].flatMap((name) => (titles.has(name) ? [[name, titles.get(name) ?? name] as [string, string]] : []));
}

const slowedIn = (gpu: Gpu): Mark[] => gpu.slowed.map((each) => ({ from: each.start_ns / NS, to: each.end_ns / NS, words: each.words }));

/** Returns a lane for each GPU; one that is worse than its peers says so, and leads to what is known of it. */
export function gpuLanes(gpus: readonly Gpu[], view: string, worse: readonly NodeDifference[]): Lane[] {
  const one = gpus.every((gpu) => gpu.gpu.startsWith('0000:')); // the first PCI domain says nothing
  return gpus.map((gpu) => {
    const lines = gpu.views.find((each) => each.name === view)?.lines ?? [];
    const [first, second] = lines;
    const known = worse.filter((each) => each.kind === 'gpu' && each.component === gpu.gpu);
    const drawn = second?.values.some((value) => value) ? second : undefined;
    return {
      name: one ? gpu.gpu.replace(/^0000:/, '') : gpu.gpu, about: known.length ? 'worse than its peers' : '', values: first?.values ?? [], marks: slowedIn(gpu),
      second: drawn && first ? { values: drawn.values, names: [first.name, drawn.name] } : undefined,
      href: known[0] ? `#${differenceId(known[0])}` : undefined,
    };
  });
}

/** The id of what is known of a component, for links on a page. */
export const differenceId = (each: NodeDifference) => `${each.host} ${each.what}`.replace(/[^A-Za-z0-9]+/g, '-');

/** Returns a value of a view as text. */
export function gpuText(value: number, view: string): string {
  if (view === 'memory') return bytes(value);
  if (view === 'pcie' || view === 'nvlink') return rate(value, 'bytes/s');
  if (view === 'clock') return `${value.toFixed(0)} MHz`;
  if (view === 'power') return `${value.toFixed(0)} W`;
  return view === 'errors' ? digits(value).replace(/\.00$/, '') : `${points(value)} %`;
}
