// Links by level: a row of cells for the links of each kind, the busiest first or by name. Pure.
import { LINK_KINDS, type FabricShape } from './fabric';

/** The links between two levels in one direction, such as leaf to spine. */
export interface LinkRow { title: string; links: Int32Array }

const WORDS: Record<string, string> = { terminal: 'node', dimension: 'along a dimension', local: 'within a group', global: 'between groups', other: 'other' };

/** Returns the name of a switch's level: the leaves are level 1. */
function levelName(level: number, levels: number): string {
  if (level === 0) return 'node';
  if (level === 1) return 'leaf';
  return levels > 2 && level === levels ? 'core' : 'spine';
}

/** Groups the links of a fabric into rows: what goes up first, from the nodes on, then what comes down. */
export function linkRows(shape: FabricShape): LinkRow[] {
  const top = shape.levels.reduce((most, level) => Math.max(most, level), 0);
  const rows = new Map<string, { order: number; links: number[] }>();
  for (let link = 0; link < shape.sources.length; link += 1) {
    const [from, to] = [shape.sources[link] ?? 0, shape.targets[link] ?? 0];
    const [low, high] = [shape.levels[from] ?? -1, shape.levels[to] ?? -1];
    const kind = LINK_KINDS[shape.link_kinds[link] ?? 6] ?? 'other';
    const [fromNode, toNode] = [shape.hosts[from] !== '', shape.hosts[to] !== ''];
    let title: string, order: number;
    if (kind === 'local' || kind === 'global' || kind === 'dimension') [title, order] = [WORDS[kind] ?? kind, 50 + (shape.link_dimensions[link] ?? 0)];
    else if (fromNode || toNode) [title, order] = fromNode ? ['node to switch', 0] : ['switch to node', 99];
    else if (low >= 0 && high >= 0) [title, order] = [`${levelName(low, top)} to ${levelName(high, top)}`, high > low ? low : 99 - high];
    else [title, order] = ['switch to switch', 50];
    if (kind === 'dimension') title = `along ${shape.dimensions[shape.link_dimensions[link] ?? 0] ?? 'a dimension'}`;
    const row = rows.get(title) ?? { order, links: [] };
    row.links.push(link);
    rows.set(title, row);
  }
  return [...rows].sort((a, b) => a[1].order - b[1].order || a[0].localeCompare(b[0])).map(([title, { links }]) => ({ title, links: Int32Array.from(links) }));
}

const BUCKETS = 1024;
const begin = new Uint32Array(BUCKETS + 1);
/** Orders the links of a row by load, or by waiting, the greatest first; what is not known comes last; those alike in 1/1024 stay as they are. Counted, not sorted: 50 000 links in a frame. */
export function busiestFirst(links: Int32Array, load: Float32Array, greatest: number): Int32Array {
  const scale = greatest > 0 ? (BUCKETS - 1) / greatest : 0;
  const bucket = (link: number) => BUCKETS - 1 - Math.min(Math.max(Math.ceil((load[link] || 0) * scale), 0), BUCKETS - 1);
  begin.fill(0);
  for (const link of links) { const next = bucket(link) + 1; begin[next] = (begin[next] ?? 0) + 1; }
  for (let at = 0; at < BUCKETS; at += 1) begin[at + 1] = (begin[at + 1] ?? 0) + (begin[at] ?? 0);
  const sorted = new Int32Array(links.length);
  for (const link of links) {
    const of = bucket(link);
    const place = begin[of] ?? 0;
    sorted[place] = link;
    begin[of] = place + 1;
  }
  return sorted;
}

/** How the cells of rows are laid out. */
export interface RowLayout { size: number; columns: number; tops: number[]; heights: number[]; height: number }
const HEAD = 26;
const GAP = 14;

/** Lays out rows of cells in a width, px: cells as large as fit into a height, 5 to 18 px. */
export function layoutRows(rows: readonly LinkRow[], width: number, most: number): RowLayout {
  const count = rows.map((row) => row.links.length);
  for (let size = 18; ; size -= 1) {
    const columns = Math.max(Math.floor(width / size), 1);
    const heights = count.map((links) => Math.ceil(links / columns) * size);
    const height = heights.reduce((sum, high) => sum + high + HEAD + GAP, 0);
    if (height <= most || size === 4) {
      let top = HEAD;
      const tops = heights.map((high) => { const at = top; top += high + HEAD + GAP; return at; });
      return { size, columns, tops, heights, height };
    }
  }
}

/** Returns the row and the place in it of a point, px; null: none. */
export function cellAt(layout: RowLayout, rows: readonly LinkRow[], x: number, y: number): [number, number] | null {
  for (let row = 0; row < rows.length; row += 1) {
    const down = y - (layout.tops[row] ?? 0);
    const across = Math.floor(x / layout.size);
    if (down < 0 || down >= (layout.heights[row] ?? 0) || across < 0 || across >= layout.columns) continue;
    const place = Math.floor(down / layout.size) * layout.columns + across;
    return place < (rows[row]?.links.length ?? 0) ? [row, place] : null;
  }
  return null;
}
