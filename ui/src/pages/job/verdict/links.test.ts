import { expect, it } from 'vitest';
import type { Verdict } from '../../../api/api-types';
import { namedLinks } from './links';

it('leads from the links that a verdict names to their page, at the worst time', () => {
  const slice = (start_ns: number, resource: string, seconds: number) => ({ start_ns, length_ns: 2e9, resource, seconds, suspect: 'b' });
  const verdict = {
    job: { start_ns: 1e9, end_ns: 9e9 },
    attribution: { suspects: [{ resources: ['link leaf1 > spine2', 'nfs:1'] }, { resources: ['switch leaf1', 'link leaf1 > spine2 (to /scratch)'] }] },
    interference: { disturbed: [slice(2e9, 'link leaf1 > spine2', 0.1), slice(4e9, 'link leaf1 > spine2', 0.9)] },
  } as unknown as Verdict;
  expect(namedLinks(verdict)).toEqual([
    { kind: 'link', name: 'leaf1 > spine2', address: '/network?link=leaf1+%3E+spine2&colour=job&from=1.000&to=9.000&at=5.000' },
    { kind: 'switch', name: 'leaf1', address: '/network?switch=leaf1&colour=job&from=1.000&to=9.000' },
  ]);
});
