// Advice as cards: what to change, the text to paste, what it saves, who pays. Pure.
import type { Interval, Recommendation, Recommendations, SiteAdvice, SiteRecommendation, SiteSums } from '../api/api-types';
import { coreHours, count, digits, energyWithin, points, seconds } from '../format/format';
import type { Sheet } from '../export/export';

export interface AdviceCard { key: string; lever: string; seen: string; texts: readonly string[]; facts: readonly (readonly [string, string])[] }

const MOST_DELAYS = 5;

export function coreHoursWithin({ value, low, high }: Interval): string {
  if (low === high) return coreHours(value);
  const factor = value >= 0.0995 || value === 0 ? 1 : 3600;
  return `${coreHours(value)} (${digits(factor * low)} to ${digits(factor * high)})`;
}

const secondsWithin = ({ value, low, high }: Interval) => (low === high ? seconds(value) : `${seconds(value)} (${seconds(low)} to ${seconds(high)})`);

/** What a piece of advice on a job would save. */
export function jobSaving(advice: Recommendation, runS: number): string {
  if (!advice.saving) return advice.saving_words;
  return `${secondsWithin(advice.saving)}, ${points(runS > 0 ? (100 * advice.saving.value) / runS : 0)} % of the run: ${advice.saving_words}`;
}

export const jobCards = (given: Recommendations): AdviceCard[] => given.found.map((advice, number) => ({
  key: `${advice.rule} ${number}`, lever: advice.lever, seen: advice.seen, texts: advice.texts,
  facts: [['Saves', jobSaving(advice, given.run_s)], ['Who pays', advice.pays], ['Not if', advice.unless]],
}));

/** What a piece of advice on a site would have saved. */
export function siteSaving(advice: SiteRecommendation): string {
  if (!advice.saving) return advice.saving_words;
  return `${coreHoursWithin(advice.saving)}${advice.kwh ? ` and ${energyWithin(advice.kwh)}` : ''}: ${advice.saving_words}`;
}

/** Whose jobs would have been delayed, and by how much. */
export const delays = (advice: SiteRecommendation): string =>
  advice.delays.slice(0, MOST_DELAYS).map((row) => `${row.program}: ${count(row.jobs, 'job')}, ${seconds(row.mean_s)} later on average, ${seconds(row.most_s)} at most`).join('; ');

export const siteCards = (given: SiteAdvice): AdviceCard[] => given.found.map((advice, number) => ({
  key: `${advice.rule} ${advice.where} ${number}`, lever: advice.lever, seen: advice.seen, texts: advice.texts,
  facts: [
    ['Would have saved', siteSaving(advice)], ['Who pays', advice.pays],
    ...(advice.delays.length > 1 ? [['Delays', delays(advice)] as const] : []), ['Not if', advice.unless],
  ],
}));

/** Says of a user's own jobs what they lost, by resource. */
export const sumLines = (sums: SiteSums): string[] => sums.resources.map((row) =>
  `on ${row.where}: ${coreHoursWithin(row.lost)}${row.to_own.value > 0 ? `, ${coreHours(row.to_own.value)} of it to other jobs of yours` : ''}`);

export function cardSheet(cards: readonly AdviceCard[]): Sheet {
  return {
    columns: ['lever', 'seen', 'text', 'saving', 'who_pays', 'not_if'],
    rows: cards.map((card) => {
      const fact = (name: string) => card.facts.find(([what]) => what === name)?.[1] ?? '';
      return [card.lever, card.seen, card.texts.join('\n'), fact('Saves') || fact('Would have saved'), fact('Who pays'), fact('Not if')];
    }),
  };
}
