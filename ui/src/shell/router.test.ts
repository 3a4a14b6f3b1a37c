import { describe, expect, it } from 'vitest';
import { findPage } from './router';

describe('findPage', () => {
  it('knows the page of each address', () => {
    for (const path of ['/', '/jobs', '/jobs/a', '/now', '/system', '/nodes', '/nodes/n1', '/matrix', '/studies', '/studies/s', '/compare']) expect(findPage(path), path).not.toBeNull();
    expect(findPage('/nothing')).toBeNull();
  });
  it('takes the name out of the address', () => {
    expect([findPage('/jobs')?.name, findPage('/jobs/a%20b')?.name]).toEqual([undefined, 'a b']);
  });
});
