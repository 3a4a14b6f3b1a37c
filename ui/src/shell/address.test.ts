import { expect, it } from 'vitest';
import { decoded } from './address';

it('takes any address for a name', () => {
  expect(decoded('a%2Fb%20c')).toBe('a/b c');
  expect(decoded('100%')).toBe('100%');
  expect(decoded('%E0%A4')).toBe('%E0%A4');
});
