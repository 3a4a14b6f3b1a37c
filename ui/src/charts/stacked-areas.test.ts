import { describe, expect, it } from 'vitest';
import { layerAt, highestStack, layerPath, roundAxisTop, layerShare, stackLayers, layerTint, type StackLayer } from './stacked-areas';

describe('stack', () => {
  const bands = stackLayers([[1, 2, 0], [1, null, 3]], 3);
  it('adds up, and what is not known adds nothing', () => {
    expect(bands.map((band) => [...band.high])).toEqual([[1, 2, 0], [2, 2, 3]]);
    expect(highestStack(bands, 0, 2)).toBe(2);
    expect(highestStack(bands, 0, 9)).toBe(3);
  });
  it('is drawn in steps, with holes where there is nothing', () => {
    expect(layerPath(bands[0] as StackLayer, 4)).toBe('M0 750H1V500H2V1000H0Z');
    expect(layerPath(bands[1] as StackLayer, 4)).toBe('M0 500H1V750H0ZM2 250H3V1000H2Z');
  });
  it('is hit by height', () => {
    expect(layerAt(bands, 0, 0.5)).toBe(0);
    expect(layerAt(bands, 0, 1.5)).toBe(1);
    expect(layerAt(bands, 0, 2.5)).toBe(-1);
    expect(layerAt(bands, 2, 1)).toBe(1);
  });
  it('returns the share of a layer in a column', () => {
    expect(layerShare(bands, 0, 1)).toEqual({ own: 1, all: 2 });
    expect(layerShare(bands, 1, 1)).toEqual({ own: 0, all: 2 });
    expect(layerShare(bands, 2, -1)).toEqual({ own: 0, all: 3 });
    expect(layerShare(bands, 9, 0)).toEqual({ own: 0, all: 0 });
  });
  it('gives a colour to one job only', () => {
    const all = Array.from({ length: 13 }, (_, band) => layerTint(band, 12));
    expect(new Set(all.slice(0, 6)).size).toBe(6);
    expect(new Set(all.slice(6))).toEqual(new Set(['small', 'rest']));
    expect(layerTint(2, 2)).toBe('rest');
  });
  it('has a round top', () => {
    expect(roundAxisTop(1500, 'ops/s')).toBe(1500);
    expect(roundAxisTop(1600, 'ops/s')).toBe(2000);
    expect(roundAxisTop(3.1 * 1024 ** 3, 'bytes/s')).toBe(4 * 1024 ** 3);
    expect(roundAxisTop(0, 'ops/s')).toBe(1);
  });
});
