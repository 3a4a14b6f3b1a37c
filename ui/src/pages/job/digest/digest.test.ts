import { expect, test } from 'vitest';
import { bars, describeHistogram } from './digest';

test('bars and description of a histogram agree', () => {
  const histogram = [2, 0, 0, 1200, 0];
  expect(bars(histogram).map((bar) => bar.n)).toEqual(histogram);
  expect(bars(histogram)[3]?.height).toBe(1);
  expect(describeHistogram(histogram)).toBe('0 to 1 B: 2, 4 B to 8 B: 1,200');
  expect(describeHistogram([0, 0])).toBe('');
});
