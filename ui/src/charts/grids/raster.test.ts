import { describe, expect, it } from 'vitest';
import { paintValues, parseColour, colourRamp, strongestValue } from './raster';

describe('top', () => {
  it('leaves one outlier of a thousand out', () => {
    const values = new Float32Array(1000).fill(0).map((_, i) => i % 100);
    values[0] = 500;
    expect(strongestValue(values)).toBeGreaterThanOrEqual(98);
    expect(strongestValue(values)).toBeLessThan(101);
  });
  it('is the greatest of few, and 0 of none', () => {
    expect(strongestValue(new Float32Array([1, 2, 8]))).toBe(8);
    expect(strongestValue(new Float32Array([NaN, 0]))).toBe(0);
  });
});

describe('pictures', () => {
  const colours = colourRamp([[0, 0, 0], [128, 128, 128], [255, 255, 255]]);
  it('reads colours as browsers return them', () => { expect([parseColour('rgb(1, 2, 3)'), parseColour('color(srgb 1 0 0.2)')]).toEqual([[1, 2, 3], [255, 0, 51]]); });
  it('leaves what is not known clear', () => { expect([...paintValues(new Float32Array([0, 5, 10, 20, NaN]), 10, colours)].map((pixel) => pixel & 255)).toEqual([0, 128, 255, 255, 0]); });
});
