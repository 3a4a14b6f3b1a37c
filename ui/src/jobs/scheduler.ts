// What the batch system knows of a job, in words.
import type { SchedulerFacts } from '../api/api-types';
import { bytes, count, seconds } from '../format/format';

/** Says what a batch job is called, where it ran, how it ended, and what it was given; empty where nothing is known. */
export function schedulerSentence(facts: SchedulerFacts | null): string {
  if (!facts) return '';
  const [code, signal] = facts.exit.split(':');
  const ended = !facts.exit || facts.exit === '0:0' ? '' : signal === '0' ? ` (exit code ${code})` : ` (signal ${signal})`;
  const words = [
    facts.name, facts.partition, facts.account, facts.state + ended,
    facts.cores ? count(facts.cores, 'core') : '', facts.memory_bytes ? bytes(facts.memory_bytes) : '',
    facts.time_limit_s ? `at most ${seconds(facts.time_limit_s)}` : '',
    facts.dependency ? `waited for ${facts.dependency}` : '',
    facts.array_task >= 0 ? `task ${facts.array_task} of array ${facts.array_job}` : '',
    facts.het_component >= 0 ? `component ${facts.het_component} of job ${facts.het_job}` : '',
  ];
  return words.filter(Boolean).join(' · ');
}
