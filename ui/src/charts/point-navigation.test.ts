import { describe, expect, it } from 'vitest';
import { pointedAt, stepped } from './point-navigation';

describe('points of a chart by keys', () => {
  const lines = [[1, 2, 4], [], [2, 8]];
  it('goes along a line and stays at its ends', () => {
    expect(stepped(lines, null, 'ArrowRight')).toEqual({ line: 0, point: 0 });
    expect(stepped(lines, null, 'ArrowLeft')).toEqual({ line: 0, point: 2 });
    expect(stepped(lines, { line: 0, point: 1 }, 'ArrowRight')).toEqual({ line: 0, point: 2 });
    expect(stepped(lines, { line: 0, point: 2 }, 'ArrowRight')).toEqual({ line: 0, point: 2 });
    expect(stepped(lines, { line: 0, point: 0 }, 'ArrowLeft')).toEqual({ line: 0, point: 0 });
  });
  it('goes to the nearest point of another line, where it has any', () => {
    const two = [[1, 2, 4], [2, 8]];
    expect(stepped(two, { line: 0, point: 2 }, 'ArrowDown')).toEqual({ line: 1, point: 0 });
    expect(stepped(two, { line: 1, point: 1 }, 'ArrowUp')).toEqual({ line: 0, point: 2 });
    expect(stepped(two, { line: 0, point: 0 }, 'ArrowUp')).toEqual({ line: 0, point: 0 });
    expect(stepped(lines, { line: 0, point: 0 }, 'ArrowDown')).toEqual({ line: 0, point: 0 });
  });
  it('leaves all other keys alone', () => {
    expect(stepped(lines, null, 'Tab')).toBeNull();
    expect(stepped([[]], null, 'ArrowRight')).toBeNull();
  });
  it('finds what is pointed at', () => {
    expect(pointedAt([[[0, 0], [10, 0]], [[10, 9]]], 9, 7)).toEqual({ line: 1, point: 0 });
    expect(pointedAt([[]], 1, 1)).toBeNull();
  });
});
