import { expect, test } from 'vitest';
import { metricViews } from './metric-views';

test('only jobs with numbers of GPUs have a button for them', () => {
  const ids = (has: string[] | undefined) => metricViews(has).map(([id]) => id);
  expect(ids(undefined)).not.toContain('gpu');
  expect(ids(['posix_read_bytes'])).not.toContain('gpu');
  expect(ids(['gpu_h2d_bytes'])).toContain('gpu');
});

test('communication is called what the job used', () => {
  const named = (...has: string[]) => metricViews(has).find(([id]) => id === 'communication')?.[1];
  expect(named('mpi_send_ns')).toBe('MPI');
  expect(named('ccl_barrier_ns', 'state_collective_ns')).toBe('Collectives');
  expect(named('ccl_barrier_ns', 'mpi_send_ns')).toBe('Communication');
});
