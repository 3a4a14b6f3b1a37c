import { expect, test } from 'vitest';
import { highest, laneSays, placeOf, type Lane } from './lanes';

const one: Lane = { name: 'a', about: '', values: [1, null, 3] };
const both: Lane = { ...one, second: { values: [4, 0, null], names: ['to it', 'from it'] } };

test('a lane of two rows is as high as both, and says both', () => {
  expect([highest(one), highest(both)]).toEqual([3, 5]);
  expect(laneSays(both, 0, String)).toBe('to it 1 · from it 4');
  expect(laneSays(one, 1, String)).toBe('–');
  expect(laneSays(both, null, String)).toBe('to it up to 3 · from it up to 4');
});

test('a mark is cut to the span', () => {
  expect(placeOf({ from: 0, to: 5, words: '' }, [0, 10])).toEqual({ left: 0, width: 50 });
  expect(placeOf({ from: -5, to: 25, words: '' }, [0, 10])).toEqual({ left: 0, width: 100 });
  expect(placeOf({ from: 20, to: 25, words: '' }, [0, 10])).toBeNull();
});
