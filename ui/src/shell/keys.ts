// The only list of keys: components look keys up here, and the help shows it.
export type Where = 'Everywhere' | 'List of jobs' | 'Charts and grids' | 'Network';
export interface Binding { where: Where; keys: readonly string[]; what: string }

export const KEYS: readonly Binding[] = [
  { where: 'Everywhere', keys: ['?'], what: 'This help' },
  { where: 'Everywhere', keys: ['/'], what: 'Search the jobs' },
  { where: 'Everywhere', keys: ['g', 'then', 'j', 'o', 'l', 's', 'n', 'm', 't'], what: 'Go to Jobs, Now, Losses, System, Network, Matrix, Studies' },
  { where: 'Everywhere', keys: ['d'], what: 'Theme: light, dark or that of the system' },
  { where: 'Everywhere', keys: ['Tab'], what: 'To the next button, chart or grid' },
  { where: 'Everywhere', keys: ['Esc'], what: 'Close, or leave the search' },
  { where: 'List of jobs', keys: ['j', 'k'], what: 'Next job, previous job' },
  { where: 'List of jobs', keys: ['Enter'], what: 'Open the job' },
  { where: 'List of jobs', keys: ['x'], what: 'Select the job' },
  { where: 'List of jobs', keys: ['c'], what: 'Compare the selected jobs' },
  { where: 'Charts and grids', keys: ['+', '−'], what: 'Zoom in, zoom out; also Ctrl and the wheel, or two fingers' },
  { where: 'Charts and grids', keys: ['←', '→'], what: 'Move earlier, move later; also drag with two fingers' },
  { where: 'Charts and grids', keys: [',', '.'], what: 'Previous slice, next slice' },
  { where: 'Charts and grids', keys: ['↑', '↓'], what: 'Row above, row below (grids)' },
  { where: 'Charts and grids', keys: ['0'], what: 'The whole run; also a double click' },
  { where: 'Network', keys: ['Space'], what: 'Play, pause' },
  { where: 'Network', keys: ['←', '→'], what: 'The time before, the time after; also comma and full stop' },
];

/** Meanings of keys for a page as a whole. */
export type PageKey = 'help' | 'search' | 'go' | 'theme' | 'close' | 'next' | 'previous' | 'select' | 'compare';
/** Meanings of keys for a chart or grid that has the focus. */
export type ChartKey = 'in' | 'out' | 'left' | 'right' | 'up' | 'down' | 'all';

type Pressed = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey'>;
const PAGE: Record<string, PageKey> = {
  '?': 'help', '/': 'search', g: 'go', d: 'theme', Escape: 'close', j: 'next', k: 'previous', x: 'select', c: 'compare',
};
const CHART: Record<string, ChartKey> = {
  '+': 'in', '=': 'in', '-': 'out', '_': 'out', ArrowLeft: 'left', ArrowRight: 'right', ArrowUp: 'up', ArrowDown: 'down', '0': 'all',
};
const PAGES: Record<string, string> = { j: '/jobs', o: '/now', l: '/losses', s: '/system', n: '/network', m: '/matrix', t: '/studies' };

/** Keys with Ctrl, Alt or Meta are left to the browser. */
const isOurs = (event: Pressed) => !event.ctrlKey && !event.metaKey && !event.altKey;

export function pageKey(event: Pressed): PageKey | null {
  return isOurs(event) ? (PAGE[event.key] ?? null) : null;
}
export function chartKey(event: Pressed): ChartKey | null {
  return isOurs(event) ? (CHART[event.key] ?? null) : null;
}
/** Returns the address of the page that a key opens after `g`. */
export function goKey(event: Pressed): string | null {
  return isOurs(event) ? (PAGES[event.key] ?? null) : null;
}
/** Whether keys are typed into a field. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.matches('textarea, select, input:not([type=checkbox], [type=radio], [type=button])');
}
