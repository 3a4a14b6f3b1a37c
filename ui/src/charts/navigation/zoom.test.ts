import { describe, expect, it } from 'vitest';
import { clampSpan, panSpan, pinchSpan, isSameSpan, scaleSpan } from './zoom';

describe('inside', () => {
  it('keeps the length at both ends', () => {
    expect(clampSpan([-5, 5], [0, 100], 1)).toEqual([0, 10]);
    expect(clampSpan([95, 105], [0, 100], 1)).toEqual([90, 100]);
  });
  it('is never longer than the whole nor shorter than a slice', () => {
    expect(clampSpan([-50, 500], [0, 100], 1)).toEqual([0, 100]);
    expect(clampSpan([50, 50.1], [0, 100], 1)).toEqual([50, 51]);
    expect(clampSpan([0, 5], [0, 0.5], 1)).toEqual([0, 0.5]);
  });
});

describe('steps', () => {
  it('scales about a place', () => { expect(scaleSpan([0, 100], 0.5, 0.2)).toEqual([10, 60]); });
  it('pans by parts of its length', () => { expect(panSpan([10, 20], 0.5)).toEqual([15, 25]); });
  it('recognizes the same span', () => { expect([isSameSpan([1, 2], [1.0001, 2]), isSameSpan([1, 2], [1.1, 2])]).toEqual([true, false]); });
});

describe('pinched', () => {
  it('leaves under each finger what was there', () => {
    const [from, to] = pinchSpan([0, 100], [0.4, 0.6], [0.2, 0.8]);
    expect(from + (to - from) * 0.2).toBeCloseTo(40);
    expect(from + (to - from) * 0.8).toBeCloseTo(60);
  });
  it('pans when both fingers move alike', () => {
    const [from, to] = pinchSpan([0, 100], [0.4, 0.6], [0.3, 0.5]);
    expect([from, to]).toEqual([expect.closeTo(10), expect.closeTo(110)]);
  });
  it('bears fingers on one spot', () => { expect(pinchSpan([0, 100], [0.5, 0.5], [0.5, 0.5])).toEqual([0, 100]); });
});
