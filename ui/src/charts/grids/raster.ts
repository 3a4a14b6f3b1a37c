// Values as pixels. A picture is made once; the canvas stretches it on zoom. Pure.
type Rgb = [number, number, number];

export function parseColour(text: string): Rgb {
  const channels = text.match(/[\d.]+/g)?.map(Number) ?? [];
  const scale = text.startsWith('color(') ? 255 : 1;
  return [(channels[0] ?? 0) * scale, (channels[1] ?? 0) * scale, (channels[2] ?? 0) * scale];
}

/** Returns 256 colours, interpolated between three. */
export function colourRamp(stops: readonly [Rgb, Rgb, Rgb]): Uint32Array {
  const ramp = new Uint32Array(256);
  for (let at = 0; at < 256; at += 1) {
    const place = (at / 255) * 2;
    const [a, b] = place < 1 ? [stops[0], stops[1]] : [stops[1], stops[2]];
    const part = place % 1 || (at === 255 ? 1 : 0);
    const mix = (i: 0 | 1 | 2) => Math.round(a[i] + (b[i] - a[i]) * part);
    ramp[at] = ((255 << 24) | (mix(2) << 16) | (mix(1) << 8) | mix(0)) >>> 0;
  }
  return ramp;
}

const BINS = 1024;
/** Returns the value with the strongest colour: the 99th percentile, so that one outlier does not bleach the rest. */
export function strongestValue(values: Float32Array): number {
  let most = 0;
  for (let at = 0; at < values.length; at += 1) if ((values[at] ?? 0) > most) most = values[at] ?? 0;
  // Counted in bins, not sorted: there are 100 000 values, and 16 ms for a frame.
  const counts = new Uint32Array(BINS + 1);
  let known = 0;
  for (let at = 0; at < values.length; at += 1) {
    const value = values[at] ?? 0;
    if (value > 0) { const bin = Math.floor((value / most) * BINS); counts[bin] = (counts[bin] ?? 0) + 1; known += 1; }
  }
  let below = 0;
  for (let bin = 0; bin <= BINS; bin += 1) {
    below += counts[bin] ?? 0;
    if (known && below > 0.99 * known) return Math.min(((bin + 1) / BINS) * most, most);
  }
  return most;
}

/** Returns the pixels of all values; NaN stays transparent. */
export function paintValues(values: Float32Array, most: number, colours: Uint32Array): Uint32Array {
  const pixels = new Uint32Array(values.length);
  const scale = most > 0 ? 255 / most : 0;
  for (let at = 0; at < values.length; at += 1) {
    const value = values[at] ?? NaN;
    if (value === value) pixels[at] = colours[Math.min(Math.round(value * scale), 255)] ?? 0;
  }
  return pixels;
}
