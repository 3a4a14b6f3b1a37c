import { describe, expect, it } from 'vitest';
import { goal, news, sight } from './login-messages';
import type { Me } from '../../api/api-types';

const ANNE: Me = { name: 'anne', uid: 1, role: 'user', way: 'accounts', accounts: [], csrf: 'x', recorded: true, flag: '' };

describe('goal', () => {
  it('is the page that was asked for', () => {
    expect(goal('/jobs/a', '?from=1')).toBe('/jobs/a?from=1');
    expect(goal('/login', '')).toBe('/jobs');
    expect(goal('/login', '?next=%2Fsystem%3Frows%3D3')).toBe('/system?rows=3');
  });
  it('never leads away', () => {
    for (const next of ['//evil.example', '/\\evil.example', 'https://evil.example', 'javascript:alert(1)', '']) {
      expect(goal('/login', `?next=${encodeURIComponent(next)}`)).toBe('/jobs');
    }
  });
});

describe('words', () => {
  it('say why one is asked to log in', () => {
    expect(news('', false)).toBeNull();
    expect(news('?failed=late', false)).toMatchObject({ kind: 'bad', text: expect.stringContaining('too long') as string });
    expect(news('?failed=constructor', true)?.text).toContain('Try again');
    expect(news('?left', false)?.text).toBe('You are logged out.');
    expect(news('?left=everywhere', false)?.text).toContain('everywhere');
    expect(news('?failed=busy', false)?.text).toContain('Too many log in');
    expect(news('?from=1', true)?.text).toContain('session has ended');
  });
  it('say what one sees', () => {
    expect(sight(ANNE)).toBe("You see your own jobs. Of everybody else's you see sums.");
    expect(sight({ ...ANNE, role: 'support' })).toBe('You see the jobs of all users.');
    const accounts = ['bert', 'carl', 'dora'].map((name, uid) => ({ name, uid }));
    expect(sight({ ...ANNE, role: 'manager', accounts })).toContain('and those of bert, carl and dora.');
    expect(sight({ ...ANNE, uid: null })).toContain('no user of the cluster');
  });
});
