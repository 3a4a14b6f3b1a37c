import { describe, expect, it } from 'vitest';
import { headline, formatProbability, heatCell, gridsOf, shortName, signedPercent, hasEvidence, potentialText, tooFew } from './encounters';
import type { Encounter } from '../../api/api-types';

const met = (victim: string, aggressor: string, value: number | null, q: number | null, kind: Encounter['resource_kind'] = 'file system'): Encounter => ({
  victim, aggressor, resource_kind: kind, with_runs: 7, without_runs: 9, with_mean: 1, without_mean: 1,
  slowdown: value === null ? null : { value, low: 0, high: 1 }, normal: [null, null], equal_variance: null, test: q === null ? '' : 'ANOVA', p: q, q,
});

describe('the matrix', () => {
  const all = [met('a', 'x', 0.1, 0.2), met('b', 'x', 0.4, 0.01), met('b', 'y', null, null), met('a', 'y', 0.2, 0.5, 'node')];
  it('puts the most evident harm first, and the kind with most evidence', () => {
    const [files, node] = gridsOf(all);
    expect(files?.kind).toBe('file system');
    expect(files?.victims).toEqual(['b', 'a']);
    expect(files?.aggressors).toEqual(['x', 'y']);
    expect(files?.cells[1]?.[1]).toBeNull();
    expect(node?.victims).toEqual(['a']);
  });
  it('is sure only of what was tested and slower', () => {
    expect(all.map(hasEvidence)).toEqual([false, true, false, false]);
    expect(hasEvidence(met('a', 'b', -0.3, 0.001))).toBe(false);
  });
  it('says counts and brackets where there is no evidence', () => {
    expect(heatCell(all[1] ?? null, 0.4)).toEqual({ value: 1, text: '+40 %', small: '7 | 9', more: '7 runs alongside it, 9 without', sure: true });
    expect(heatCell(all[0] ?? null, 0.4)).toEqual({ value: 0.25, text: '(+10 %)', small: '7 | 9', more: '7 runs alongside it, 9 without', sure: false });
    expect(heatCell(all[2] ?? null, 0.4)).toEqual({ value: null, text: 'few', small: '7 | 9', more: '7 runs alongside it, 9 without, too few to compare', sure: false });
    expect(heatCell(null, 1)).toBeNull();
  });
  it('answers in a sentence', () => {
    expect(headline(all)).toBe('x slows b by 40 %');
    expect(headline([])).toContain('No two');
    expect(headline([met('a', 'x', 0.1, 0.2)])).toContain('No evidence');
    expect(headline([{ ...met('a', 'x', null, null), with_runs: 1 }])).toContain('Too few runs to compare');
    expect(tooFew({ ...met('a', 'x', null, null), with_runs: 1 })).toBe('1 run alongside it and 9 without: too few to compare');
  });
  it('puts potentials in brackets that no pair proves', () => {
    expect([potentialText(0.4, true), potentialText(0.4, false), potentialText(null, false), potentialText(-0.22, false)]).toEqual(['+40 %', '(+40 %)', '–', 'none']);
  });
});

describe('words', () => {
  it('signs as the commands do', () => {
    expect([0.18, -0.18, 0.004, 0, null].map(signedPercent)).toEqual(['+18 %', '−18 %', '+0.4 %', '0 %', '–']);
    expect([shortName('/opt/bin/solver'), shortName('solver -x')]).toEqual(['solver', 'solver -x']);
    expect([null, 0.00001, 0.004, 0.2].map(formatProbability)).toEqual(['–', '< 0.0001', '0.0040', '0.200']);
  });
});
