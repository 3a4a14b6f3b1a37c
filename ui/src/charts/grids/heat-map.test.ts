import { describe, expect, it } from 'vitest';
import { columnWidth, needsLightText } from './heat-map';

describe('a heat map', () => {
  it('leaves words out where there is no room', () => {
    expect(columnWidth(5, 900)).toEqual({ width: 132, words: true });
    expect(columnWidth(20, 900)).toEqual({ width: 62, words: true });
    expect(columnWidth(100, 900)).toEqual({ width: 20, words: false });
  });
  it('is read on dark and on light', () => {
    expect(needsLightText([200, 80, 0])).toBe(true);
    expect(needsLightText([250, 224, 205])).toBe(false);
  });
});
