import { expect, test } from 'vitest';
import { cardSheet, coreHoursWithin, delays, jobCards, jobSaving, siteCards, siteSaving, sumLines } from './advice';
import type { Recommendation, SiteAdvice, SiteRecommendation, SiteSums } from '../api/api-types';

const sleep: Recommendation = { rule: 'out of step', seen: 'both write', lever: 'start one later', texts: ['sleep 4'], saving: { value: 20, low: 16, high: 24 }, saving_words: 'by the overlap', pays: 'nobody', unless: 'never' };
const licence: SiteRecommendation = {
  rule: 'licence', where: '/scratch', seen: 'writer cost solver 5 core-hours', lever: 'share 40 licences', texts: ['Licenses=scratch_bw:40'],
  saving: { value: 5, low: 4, high: 6 }, kwh: null, saving_words: '100 % of it', pays: '2 jobs', unless: 'cores stand idle', settings: [], directives: [],
  delays: [{ program: 'solver', jobs: 1, mean_s: 3600, most_s: 3600 }, { program: 'writer', jobs: 2, mean_s: 60, most_s: 90 }],
};

test('core hours are written as in the command', () => {
  expect(coreHoursWithin({ value: 12.34, low: 12.34, high: 12.34 })).toBe('12.3 core-hours');
  expect(coreHoursWithin({ value: 0.01, low: 0.005, high: 0.02 })).toBe('36.0 core-seconds (18.0 to 72.0)');
});

test('a card of a job says what is saved, as a part of its run', () => {
  expect(jobSaving(sleep, 100)).toBe('20.0 s (16.0 s to 24.0 s), 20 % of the run: by the overlap');
  expect(jobSaving({ ...sleep, saving: null }, 100)).toBe('by the overlap');
  const [card] = jobCards({ job: 'a', run_s: 100, lost: { value: 1, low: 0, high: 2 }, found: [sleep], nothing: '', limits: [], own_neighbours: [] });
  expect(card?.texts).toEqual(['sleep 4']);
  expect(card?.facts.map(([what]) => what)).toEqual(['Saves', 'Who pays', 'Not if']);
});

test('a card of a site says whom it delays, and its energy where that is known', () => {
  expect(siteSaving(licence)).toBe('5.00 core-hours (4.00 to 6.00): 100 % of it');
  expect(siteSaving({ ...licence, kwh: { value: 1, low: 0.5, high: 2 } })).toContain(' and 1.00 kWh (0.50 to 2.00)');
  expect(delays(licence)).toBe('solver: 1 job, 1 h 00 min later on average, 1 h 00 min at most; writer: 2 jobs, 60.0 s later on average, 90.0 s at most');
  const cards = siteCards({ found: [licence, { ...licence, delays: [] }] } as unknown as SiteAdvice);
  expect(cards.map((card) => card.facts.length)).toEqual([4, 3]);
  expect(new Set(cards.map((card) => card.key)).size).toBe(2);
  expect(cardSheet(cards).rows[0]).toEqual(['share 40 licences', 'writer cost solver 5 core-hours', 'Licenses=scratch_bw:40', '5.00 core-hours (4.00 to 6.00): 100 % of it', '2 jobs', 'cores stand idle']);
});

test('a user sees what his jobs lost, and what of it to his own', () => {
  const sums = { resources: [{ where: '/scratch', lost: { value: 2, low: 1, high: 3 }, to_own: { value: 0.5, low: 0, high: 1 } }, { where: 'n1', lost: { value: 1, low: 1, high: 1 }, to_own: { value: 0, low: 0, high: 0 } }] } as unknown as SiteSums;
  expect(sumLines(sums)).toEqual(['on /scratch: 2.00 core-hours (1.00 to 3.00), 0.50 core-hours of it to other jobs of yours', 'on n1: 1.00 core-hours']);
});
