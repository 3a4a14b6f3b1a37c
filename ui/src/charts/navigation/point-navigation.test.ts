import { describe, expect, it } from 'vitest';
import { nearestPoint, nextPoint } from './point-navigation';

describe('points of a chart by keys', () => {
  const lines = [[1, 2, 4], [], [2, 8]];
  it('goes along a line and stays at its ends', () => {
    expect(nextPoint(lines, null, 'ArrowRight')).toEqual({ line: 0, point: 0 });
    expect(nextPoint(lines, null, 'ArrowLeft')).toEqual({ line: 0, point: 2 });
    expect(nextPoint(lines, { line: 0, point: 1 }, 'ArrowRight')).toEqual({ line: 0, point: 2 });
    expect(nextPoint(lines, { line: 0, point: 2 }, 'ArrowRight')).toEqual({ line: 0, point: 2 });
    expect(nextPoint(lines, { line: 0, point: 0 }, 'ArrowLeft')).toEqual({ line: 0, point: 0 });
  });
  it('goes to the nearest point of another line, where it has any', () => {
    const two = [[1, 2, 4], [2, 8]];
    expect(nextPoint(two, { line: 0, point: 2 }, 'ArrowDown')).toEqual({ line: 1, point: 0 });
    expect(nextPoint(two, { line: 1, point: 1 }, 'ArrowUp')).toEqual({ line: 0, point: 2 });
    expect(nextPoint(two, { line: 0, point: 0 }, 'ArrowUp')).toEqual({ line: 0, point: 0 });
    expect(nextPoint(lines, { line: 0, point: 0 }, 'ArrowDown')).toEqual({ line: 0, point: 0 });
  });
  it('leaves all other keys alone', () => {
    expect(nextPoint(lines, null, 'Tab')).toBeNull();
    expect(nextPoint([[]], null, 'ArrowRight')).toBeNull();
  });
  it('finds what is pointed at', () => {
    expect(nearestPoint([[[0, 0], [10, 0]], [[10, 9]]], 9, 7)).toEqual({ line: 1, point: 0 });
    expect(nearestPoint([[]], 1, 1)).toBeNull();
  });
});
