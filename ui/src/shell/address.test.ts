import { expect, it } from 'vitest';
import { decodePathPart } from './address';

it('takes any address for a name', () => {
  expect(decodePathPart('a%2Fb%20c')).toBe('a/b c');
  expect(decodePathPart('100%')).toBe('100%');
  expect(decodePathPart('%E0%A4')).toBe('%E0%A4');
});
