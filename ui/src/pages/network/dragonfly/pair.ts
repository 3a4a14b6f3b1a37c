// The pair of groups that is looked at, and the links between two routers. Pure.
import type { FabricShape } from '../fabric';

/** Reads a pair of groups from the address: `3-7`; null: all groups. */
export function readPair(view: string): [number, number] | null {
  const found = /^(\d{1,6})-(\d{1,6})$/.exec(view);
  return found ? [Number(found[1]), Number(found[2])] : null;
}

/** Returns the busiest link out of some vertices towards others; with none between them, the busiest that leads away. */
export function busiestBetween(shape: Pick<FabricShape, 'sources' | 'targets' | 'hosts'>, from: readonly number[], to: readonly number[], load: Float32Array): number | null {
  const [begin, end] = [new Set(from), new Set(to)];
  let straight: number | null = null, away: number | null = null;
  for (let link = 0; link < shape.sources.length; link += 1) {
    const target = shape.targets[link] ?? -1;
    if (!begin.has(shape.sources[link] ?? -1) || shape.hosts[target] !== '') continue;
    const busier = (than: number | null) => than === null || (load[link] ?? 0) > (load[than] ?? 0);
    if (end.has(target) && busier(straight)) straight = link;
    if (busier(away)) away = link;
  }
  return straight ?? away;
}
