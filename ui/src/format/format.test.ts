import { describe, expect, it } from 'vitest';
import { bytes, coreHours, energyWithin, points, seconds } from './format';

describe('format', () => {
  it('writes spans as the commands do', () => {
    expect([0.0004, 3.76, 75.31, 313, 3366, 7500, 90000].map(seconds)).toEqual(['400 µs', '3.76 s', '75.3 s', '313 s', '56 min 06 s', '2 h 05 min', '1 d 01 h']);
  });
  it('writes core hours in a unit that can be read', () => {
    expect([12.34, 0.01, 0].map(coreHours)).toEqual(['12.3 core-hours', '36.0 core-seconds', '0.00 core-hours']);
  });
  it('writes bytes and percent', () => {
    expect([0, 1023, 1024, 5e8].map(bytes)).toEqual(['0 B', '1023 B', '1.00 KiB', '477 MiB']);
    expect([22.18, 4.21, 0.04].map(points)).toEqual(['22', '4.2', '0']);
    expect(energyWithin({ value: 0.8, low: 0.51, high: 1.1 })).toBe('0.80 kWh (0.51 to 1.10)');
    expect(energyWithin({ value: 0.01, low: 0, high: 0.02 })).toBe('10.0 Wh (0.00 to 20.0)');
  });
});
