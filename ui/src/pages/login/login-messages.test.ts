import { describe, expect, it } from 'vitest';
import { pageAfterLogin, loginNotice, describeAccess } from './login-messages';
import type { Me } from '../../api/api-types';

const ANNE: Me = { name: 'anne', uid: 1, role: 'user', way: 'accounts', accounts: [], csrf: 'x', recorded: true, flag: '' };

describe('goal', () => {
  it('is the page that was asked for', () => {
    expect(pageAfterLogin('/jobs/a', '?from=1')).toBe('/jobs/a?from=1');
    expect(pageAfterLogin('/login', '')).toBe('/jobs');
    expect(pageAfterLogin('/login', '?next=%2Fsystem%3Frows%3D3')).toBe('/system?rows=3');
  });
  it('never leads away', () => {
    for (const next of ['//evil.example', '/\\evil.example', 'https://evil.example', 'javascript:alert(1)', '']) {
      expect(pageAfterLogin('/login', `?next=${encodeURIComponent(next)}`)).toBe('/jobs');
    }
  });
});

describe('words', () => {
  it('say why one is asked to log in', () => {
    expect(loginNotice('', false)).toBeNull();
    expect(loginNotice('?failed=late', false)).toMatchObject({ kind: 'bad', text: expect.stringContaining('too long') as string });
    expect(loginNotice('?failed=constructor', true)?.text).toContain('Try again');
    expect(loginNotice('?left', false)?.text).toBe('You are logged out.');
    expect(loginNotice('?left=everywhere', false)?.text).toContain('everywhere');
    expect(loginNotice('?failed=busy', false)?.text).toContain('Too many users are logging in');
    expect(loginNotice('?from=1', true)?.text).toContain('session has ended');
  });
  it('say what one sees', () => {
    expect(describeAccess(ANNE)).toBe("You see your own jobs. Of other users' jobs you see only sums.");
    expect(describeAccess({ ...ANNE, role: 'support' })).toBe('You see the jobs of all users.');
    const accounts = ['bert', 'carl', 'dora'].map((name, uid) => ({ name, uid }));
    expect(describeAccess({ ...ANNE, role: 'manager', accounts })).toContain('and those of bert, carl and dora.');
    expect(describeAccess({ ...ANNE, uid: null })).toContain('no user of the cluster');
  });
});
