// Bands of lost time as a picture one pixel high: painted once, stretched into every chart.
import { coverage, type Band } from './bands';
import { parseColour } from '../grids/raster';

export class BandStrip {
  readonly picture = new OffscreenCanvas(1, 1);
  /** Paints a span into so many columns; the alpha of the colour is multiplied with the loss. */
  paint(bands: readonly Band[], from: number, to: number, columns: number, colour: string): this {
    const [r, g, b] = parseColour(colour);
    const whole = Number(/[,/]\s*([\d.]+)\)$/.exec(colour.startsWith('rgba') || colour.includes('/') ? colour : '')?.[1] ?? 1);
    const image = new ImageData(columns, 1);
    coverage(bands, from, to, columns).forEach((part, at) => { if (part) image.data.set([r, g, b, 255 * whole * part], 4 * at); });
    this.picture.width = columns;
    this.picture.getContext('2d')?.putImageData(image, 0, 0);
    return this;
  }
}
