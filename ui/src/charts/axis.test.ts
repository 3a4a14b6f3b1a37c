import { describe, expect, it } from 'vitest';
import { roundInstants, durationLabel, linearAxis, axisPosition, logAxis } from './axis';

describe('scales', () => {
  it('begin at 0 and hold the threshold', () => {
    const axis = linearAxis([1, 1.1, 0.9], [2]);
    expect([axis.low, axis.cut, axis.high >= 2]).toEqual([0, false, true]);
    expect([axisPosition(axis, 0), axisPosition(axis, axis.high)]).toEqual([0, 1]);
  });
  it('are not flattened by one outlier', () => {
    const axis = linearAxis([...Array<number>(99).fill(1), 500]);
    expect(axis.cut).toBe(true);
    expect(axis.high).toBeLessThan(2);
    expect(axisPosition(axis, 500)).toBe(1);
  });
  it('of powers have round labels, each once', () => {
    const axis = logAxis([6e-6, 6.1, 0]);
    expect(axis.ticks.length).toBeLessThanOrEqual(6);
    expect(new Set(axis.ticks.map(durationLabel)).size).toBe(axis.ticks.length);
    expect(axisPosition(axis, 6e-6)).toBeGreaterThan(0);
    expect(axisPosition(axis, 0)).toBe(0);
    expect(logAxis([]).ticks.length).toBeGreaterThan(0);
    expect(logAxis([0.5, 0.5]).ticks).toEqual([0.5]);
  });
  it('of time are round on the clock of the viewer', () => {
    expect(roundInstants(1000, 1060, 6)).toEqual([1000, 1010, 1020, 1030, 1040, 1050, 1060]);
    expect(roundInstants(5, 5.004, 4)).toHaveLength(5);
  });
});
