// The matrix of programs: its order, its cells and its sentences. Pure.
import type { HeatCell } from '../../charts/grids/heat-map';
import type { Encounter } from '../../api/api-types';
import { count } from '../../format/format';

export type Kind = Encounter['resource_kind'];

const PLACES: Partial<Record<Kind, string>> = { gpu: 'GPU', bus: 'bus of a GPU', memory: 'memory of a node' };
/** Returns how a kind of resource is written behind "on the". */
export const placeName = (kind: Kind): string => PLACES[kind] ?? kind;

export interface EncounterGrid { kind: Kind; victims: string[]; aggressors: string[]; cells: (Encounter | null)[][] }

const LEVEL = 0.05;
/** Whether there is evidence that one program slows the other, by the rule of the commands. */
export const hasEvidence = (encounter: Encounter) => encounter.q !== null && encounter.q < LEVEL && (encounter.slowdown?.value ?? 0) > 0;

/** Sorts programs by the sum of their evident slowdowns, then by their mean slowdown. */
function rankPrograms(encounters: readonly Encounter[], name: (encounter: Encounter) => string): string[] {
  const totals = new Map<string, { evident: number; sum: number; n: number }>();
  for (const encounter of encounters) {
    const entry = totals.get(name(encounter)) ?? { evident: 0, sum: 0, n: 0 };
    const size = encounter.slowdown?.value ?? 0;
    totals.set(name(encounter), { evident: entry.evident + (hasEvidence(encounter) ? size : 0), sum: entry.sum + size, n: entry.n + 1 });
  }
  return [...totals].sort(([, a], [, b]) => b.evident - a.evident || b.sum / b.n - a.sum / a.n).map(([key]) => key);
}

/** Returns a grid for each kind of resource, the one with most evident cells first. */
export function gridsOf(encounters: readonly Encounter[]): EncounterGrid[] {
  const kinds = [...new Set(encounters.map((encounter) => encounter.resource_kind))];
  const grids = kinds.map((kind) => {
    const here = encounters.filter((encounter) => encounter.resource_kind === kind);
    const [victims, aggressors] = [rankPrograms(here, (encounter) => encounter.victim), rankPrograms(here, (encounter) => encounter.aggressor)];
    const at = new Map(here.map((encounter) => [`${encounter.victim}\n${encounter.aggressor}`, encounter]));
    return { kind, victims, aggressors, cells: victims.map((victim) => aggressors.map((aggressor) => at.get(`${victim}\n${aggressor}`) ?? null)) };
  });
  const evidence = (grid: EncounterGrid) => grid.cells.flat().filter((encounter) => encounter && hasEvidence(encounter)).length;
  return grids.sort((a, b) => evidence(b) - evidence(a));
}

/** Returns `+18 %`; "–": not known. */
export function signedPercent(share: number | null | undefined): string {
  if (share === null || share === undefined) return '–';
  const text = Math.abs(share) >= 0.0995 ? (100 * share).toFixed(0) : (100 * share).toFixed(1);
  if (Number(text) === 0) return '0 %';
  return `${share > 0 ? '+' : '−'}${text.replace('-', '')} %`;
}

/** Returns a program without its folder. */
export const shortName = (program: string) => (program.startsWith('/') ? (program.split('/').at(-1) ?? program) : program);

export function formatProbability(p: number | null): string {
  if (p === null) return '–';
  return p < 0.0001 ? '< 0.0001' : p.toFixed(p < 0.01 ? 4 : 3);
}

/** Returns a measured slowdown as text; "few" where runs are too few for a test. */
export const metText = (encounter: Encounter) => (encounter.slowdown ? signedPercent(encounter.slowdown.value) : 'few');

/** Returns a cell as it is drawn; the largest slowdown with evidence is darkest. */
export function heatCell(encounter: Encounter | null, strongest: number): HeatCell | null {
  if (!encounter) return null;
  const size = encounter.slowdown?.value ?? null;
  const [text, runs] = [metText(encounter), `${encounter.with_runs} | ${encounter.without_runs}`];
  const value = size === null ? null : Math.min(Math.max(size, 0) / Math.max(strongest, 0.05), 1);
  return { value, text: size === null || hasEvidence(encounter) ? text : `(${text})`, small: runs, more: `${count(encounter.with_runs, 'run')} alongside it, ${encounter.without_runs} without${encounter.test ? '' : ', too few to compare'}`, sure: hasEvidence(encounter) };
}

/** Says that runs are too few for a test: `1 run alongside it and 0 without: too few to compare`. */
export const tooFew = (encounter: Encounter) => `${count(encounter.with_runs, 'run')} alongside it and ${encounter.without_runs} without: too few to compare`;

/** A potential as text; in brackets unless a pair proves it. Chance makes some runs faster: that is none. */
export function potentialText(value: number | null, proven: boolean): string {
  if (value === null) return '–';
  if (value <= 0) return 'none';
  return proven ? signedPercent(value) : `(${signedPercent(value)})`;
}

/** Returns the result of the matrix in one sentence. */
export function headline(encounters: readonly Encounter[]): string {
  if (!encounters.length) return 'No two programs used the same resource at the same time';
  const evident = encounters.filter(hasEvidence).sort((a, b) => (b.slowdown?.value ?? 0) - (a.slowdown?.value ?? 0));
  const worst = evident[0];
  if (!worst) {
    return encounters.some((encounter) => encounter.test) ? 'No evidence that any program slows another' : 'Too few runs to compare: 3 alongside the other program and 3 without it are needed';
  }
  return `${shortName(worst.aggressor)} slows ${shortName(worst.victim)} by ${signedPercent(worst.slowdown?.value).replace('+', '')}`;
}

