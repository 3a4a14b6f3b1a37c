import { describe, expect, it } from 'vitest';
import type { LikeRunsReport, MetJob, SlownessOnResource } from '../../../api/api-types';
import { evidenceWords, likeHeadline, likeLine } from './like-runs';

const slow: SlownessOnResource = { resource: 'lustre:/scratch', resource_kind: 'object servers', bytes_and_calls: 1, factor: 1.654, like_runs: 23, slower_than: 14 };
const bully: MetJob = {
  job: 'b', program: 'bully', user: 7, resource: 'lustre:/scratch', resource_kind: 'object servers', overlap_s: 7.8, share: 1, load_share: 0.5,
  strength: 'evidence', with_runs: 12, without_runs: 12, slowdown: { value: 0.94, low: 0.84, high: 1.04 }, p: 0.0001, q: 0.0004,
};
const report = (resources: SlownessOnResource[], met: MetJob[]): LikeRunsReport => ({ job: 'a', program: 'victim', resources, met, limits: [], rests_on: ['x'] });

describe('like runs', () => {
  it('names who slows the program, with evidence', () => {
    expect(likeHeadline(report([slow], [bully]))).toBe('It was 1.65 times as slow as similar runs; bully, which ran at the same time, slows runs of victim by 94 %.');
    expect(likeHeadline(report([slow], [{ ...bully, strength: 'weak' }]))).toContain('no program that ran at the same time is known to slow victim');
  });
  it('claims nothing without runs to compare', () => {
    expect(likeHeadline(report([], []))).toContain('It is unknown');
    expect(likeHeadline(report([{ ...slow, like_runs: 0 }], []))).toContain('cannot be compared');
    expect(likeHeadline(report([{ ...slow, factor: 0.9 }], []))).toBe('It was not slower than similar runs, and no other job ran at the same time.');
  });
  it('says what a run is compared with', () => {
    expect(likeLine(slow, 'victim')).toContain('(the median of 23 other runs of victim); 14 of them were faster.');
    expect(likeLine({ ...slow, resource_kind: 'metadata server', like_runs: 0 }, 'victim')).toContain('lustre:/scratch, metadata: no similar run');
  });
  it('says how strong the evidence is', () => {
    expect(evidenceWords(bully)).toBe('evidence (q < 0.001)');
    expect(evidenceWords({ strength: 'too few runs', q: null })).toBe('too few runs');
  });
});
