// Stacked areas as SVG paths; x in columns, y in parts of TALL. Pure.
export type Values = readonly (number | null)[];
export interface StackLayer { low: Float64Array; high: Float64Array }

export const TALL = 1000;

/** Stacks layers, the first at the bottom; null adds nothing. */
export function stackLayers(layers: readonly Values[], columns: number): StackLayer[] {
  let low = new Float64Array(columns);
  return layers.map((values) => {
    const high = Float64Array.from(low, (below, at) => below + (values[at] ?? 0));
    const band = { low, high };
    low = high;
    return band;
  });
}

/** Returns the greatest height of a stack in columns first to last (exclusive). */
export function highestStack(bands: readonly StackLayer[], first: number, last: number): number {
  const whole = bands.at(-1)?.high;
  let most = 0;
  for (let at = Math.max(first, 0); whole && at < Math.min(last, whole.length); at += 1) most = Math.max(most, whole[at] ?? 0);
  return most;
}

/** Returns a layer as a path of steps; columns without height are left out. */
export function layerPath(band: StackLayer, most: number): string {
  const y = (value: number) => Math.round((1 - value / most) * TALL * 10) / 10;
  const parts: string[] = [];
  let begin = -1;
  for (let at = 0; at <= band.high.length; at += 1) {
    const there = at < band.high.length && (band.high[at] ?? 0) > (band.low[at] ?? 0);
    if (there && begin < 0) begin = at;
    if (there || begin < 0) continue;
    parts.push(`M${begin} ${y(band.high[begin] ?? 0)}`);
    for (let k = begin; k < at; k += 1) {
      if (k > begin && band.high[k] !== band.high[k - 1]) parts.push(`V${y(band.high[k] ?? 0)}`);
      if (k === at - 1 || band.high[k + 1] !== band.high[k]) parts.push(`H${k + 1}`);
    }
    parts.push(`V${y(band.low[at - 1] ?? 0)}`);
    for (let k = at - 1; k >= begin; k -= 1) {
      if (k < at - 1 && band.low[k] !== band.low[k + 1]) parts.push(`V${y(band.low[k] ?? 0)}`);
      if (k === begin || band.low[k - 1] !== band.low[k]) parts.push(`H${k}`);
    }
    parts.push('Z');
    begin = -1;
  }
  return parts.join('');
}

/** Returns the layer at a height in a column; -1: above all. */
export function layerAt(bands: readonly StackLayer[], column: number, value: number): number {
  return bands.findIndex((band) => (band.low[column] ?? 0) <= value && value < (band.high[column] ?? 0));
}

/** Returns the value of a layer and of all layers in a column; 0 for a layer that does not exist. */
export function layerShare(bands: readonly StackLayer[], column: number, band: number): { own: number; all: number } {
  const own = bands[band];
  return { own: own ? (own.high[column] ?? 0) - (own.low[column] ?? 0) : 0, all: bands.at(-1)?.high[column] ?? 0 };
}

/** The number of jobs with a colour of their own; smaller jobs share one colour. */
export const TINTS = 6;

/** Returns the CSS class of a layer. */
export function layerTint(band: number, named: number): string {
  return band >= named ? 'rest' : band < TINTS ? `tint${band}` : 'small';
}

/** Returns a round upper end for an axis; bytes are rounded in powers of two. */
export function roundAxisTop(value: number, unit: string): number {
  if (value <= 0) return 1;
  const base = unit.startsWith('bytes') ? 1024 ** Math.max(Math.floor(Math.log2(value) / 10), 0) : 10 ** Math.floor(Math.log10(value));
  const steps = unit.startsWith('bytes') ? [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 16, 20, 25, 32, 40, 50, 64, 80, 100, 128, 200, 256, 400, 512, 800, 1024] : [1, 1.5, 2, 3, 4, 5, 6, 8, 10];
  return base * (steps.find((step) => step * base >= value) ?? 1024);
}
