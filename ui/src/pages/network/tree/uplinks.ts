// The link upwards of some switches that carries most. Pure.
import { LINK_KINDS, type FabricShape } from '../fabric';

const UP = LINK_KINDS.indexOf('up');

/** Returns the busiest link that leads up from some vertices; null: none does. */
export function busiestUplink(shape: Pick<FabricShape, 'sources' | 'link_kinds'>, vertices: readonly number[], load: Float32Array): number | null {
  const from = new Set(vertices);
  let best: number | null = null;
  for (let link = 0; link < shape.sources.length; link += 1) {
    if (shape.link_kinds[link] !== UP || !from.has(shape.sources[link] ?? -1)) continue;
    if (best === null || (load[link] ?? 0) > (load[best] ?? 0)) best = link;
  }
  return best;
}
