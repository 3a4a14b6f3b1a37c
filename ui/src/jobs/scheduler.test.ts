import { describe, expect, it } from 'vitest';
import { schedulerSentence } from './scheduler';

const FACTS = {
  name: 'climate', partition: 'long', account: '', state: 'failed', exit: '3:0', cores: 8, memory_bytes: 1073741824, time_limit_s: 3600,
  nodes: ['n1'], dependency: 'afterok:7', array_job: 4, array_task: 0, het_job: 0, het_component: -1,
};

describe('what the batch system knows', () => {
  it('is said in one line', () => {
    expect(schedulerSentence(FACTS)).toMatch(/^climate · long · failed \(exit code 3\) · 8 cores · 1\.00 GiB · at most .* · waited for afterok:7 · task 0 of array 4$/);
    expect(schedulerSentence({ ...FACTS, exit: '0:15', state: 'cancelled' })).toContain('cancelled (signal 15)');
  });
  it('may be nothing', () => { expect(schedulerSentence(null)).toBe(''); });
});
