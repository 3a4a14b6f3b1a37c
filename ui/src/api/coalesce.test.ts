import { expect, it, vi } from 'vitest';
import { coalesced } from './coalesce';

it('passes news on when the answers to the last are there, and no later than that', () => {
  vi.useFakeTimers();
  let [under, announced] = [false, 0];
  const news = coalesced(() => under, () => { announced += 1; }, () => vi.getMockedSystemTime()?.getTime() ?? 0);
  news();
  expect(announced).toBe(1);
  under = true;
  for (let times = 0; times < 20; times += 1) { news(); vi.advanceTimersByTime(100); }
  expect(announced).toBe(1);
  under = false;
  vi.advanceTimersByTime(60);
  expect(announced).toBe(2);
  under = true;
  news();
  vi.advanceTimersByTime(11_000);
  expect(announced).toBe(3);
  vi.useRealTimers();
});
