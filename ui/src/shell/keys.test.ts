import { describe, expect, it } from 'vitest';
import { KEYS, chartKey, goKey, pageKey } from './keys';

const press = (key: string, held: Partial<KeyboardEvent> = {}) => ({ key, ctrlKey: false, metaKey: false, altKey: false, ...held });

describe('keys', () => {
  it('mean one thing each', () => {
    expect(pageKey(press('?'))).toBe('help');
    expect(chartKey(press('='))).toBe('in');
    expect(goKey(press('s'))).toBe('/system');
    expect(pageKey(press('q'))).toBeNull();
  });
  it('leave the browser its own', () => {
    expect(chartKey(press('+', { ctrlKey: true }))).toBeNull();
    expect(pageKey(press('d', { metaKey: true }))).toBeNull();
  });
  it('are all in the help, once per place', () => {
    for (const where of new Set(KEYS.map((binding) => binding.where))) {
      const keys = KEYS.filter((binding) => binding.where === where).flatMap((binding) => binding.keys);
      expect(new Set(keys).size).toBe(keys.length);
    }
  });
});
