import { describe, expect, it } from 'vitest';
import { WHOLE, moveBy, placing, zoomAt, zoomTo } from './plane-zoom';

const [picture, room] = [{ width: 20, height: 10 }, { width: 400, height: 400 }];

describe('a window on a picture', () => {
  it('shows the whole in the middle', () => { expect(placing(WHOLE, picture, room)).toEqual({ scale: 20, left: 0, top: 100 }); });
  it('keeps what is under the pointer there', () => {
    const before = placing(WHOLE, picture, room);
    const after = placing(zoomAt(WHOLE, picture, room, 4, 100, 180), picture, room);
    expect(after.scale).toBe(80);
    expect((100 - after.left) / after.scale).toBeCloseTo((100 - before.left) / before.scale);
    expect((180 - after.top) / after.scale).toBeCloseTo((180 - before.top) / before.scale);
  });
  it('puts a point into the middle, as far as there is picture around it', () => {
    const { scale, left, top } = placing(zoomTo(WHOLE, 4, 0.75, 0), picture, room);
    expect([scale, left + 15 * scale, top]).toEqual([80, 200, 0]);
  });
  it('neither leaves its room nor gets smaller than the whole', () => {
    expect(placing(moveBy(zoomAt(WHOLE, picture, room, 4, 0, 0), picture, room, 9999, 9999), picture, room).left).toBe(0);
    expect(placing(moveBy(zoomAt(WHOLE, picture, room, 4, 0, 0), picture, room, -9999, 0), picture, room).left).toBe(400 - 1600);
    expect(zoomAt(zoomAt(WHOLE, picture, room, 4, 0, 0), picture, room, 0.01, 30, 30)).toEqual(WHOLE);
  });
});
