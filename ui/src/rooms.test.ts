import { describe, expect, it } from 'vitest';

// Which rooms a room may import; see README.md.
const MAY_IMPORT: Record<string, readonly string[]> = {
  format: [],
  api: [],
  shell: ['api', 'format'],
  export: ['api', 'shell'],
  charts: ['format', 'shell', 'export'],
  jobs: ['api', 'charts', 'export', 'format', 'shell'],
  advice: ['api', 'export', 'format', 'shell'],
  pages: ['advice', 'api', 'charts', 'export', 'format', 'jobs', 'shell'],
};
/** The one file that knows all pages, and the start of the application. */
const ROUTER = 'shell/router.ts';
const START = 'main.ts';

const sources = import.meta.glob<string>('./**/*.{ts,svelte}', { query: '?raw', import: 'default', eager: true });
const files = Object.entries(sources).map(([path, text]) => [path.replace(/^\.\//, ''), text] as const).filter(([path]) => path.includes('/'));

/** Returns the room of a file: `charts`, or `pages/job`. */
const roomOf = (path: string) => path.split('/').slice(0, path.startsWith('pages/') ? 2 : 1).join('/');

/** Returns the files that a file imports, as paths below src. */
function importsOf(path: string, text: string): string[] {
  const folder = path.split('/').slice(0, -1);
  return [...text.matchAll(/(?:from |import\(|import )'(\.[^']*)'/g)].map((match) => {
    const parts = [...folder];
    for (const part of (match[1] ?? '').split('/')) {
      if (part === '..') parts.pop();
      else if (part !== '.') parts.push(part);
    }
    return parts.join('/');
  });
}

function allowed(from: string, to: string): boolean {
  const [own, other] = [roomOf(from), roomOf(to)];
  if (own === other || !to.includes('/')) return true; // the same room, or a style sheet or picture next to the rooms
  if (other.startsWith('pages/')) return from === ROUTER;
  return (MAY_IMPORT[own.split('/')[0] ?? ''] ?? []).includes(other);
}

describe('rooms', () => {
  it('are all known', () => {
    const known = Object.keys(MAY_IMPORT);
    expect(files.length).toBeGreaterThan(100);
    expect([...new Set(files.map(([path]) => path.split('/')[0]))].filter((room) => !known.includes(room ?? ''))).toEqual([]);
    expect(Object.keys(sources).filter((path) => !path.slice(2).includes('/')).sort()).toEqual(['./env.d.ts', `./${START}`]);
  });
  it('import one way', () => {
    const wrong = files.flatMap(([path, text]) => importsOf(path, text).filter((other) => !allowed(path, other)).map((other) => `${path} imports ${other}`));
    expect(wrong).toEqual([]);
  });
  it('would be found out', () => {
    expect(importsOf('charts/time/trace.ts', "import type { Track } from './track';\nconst page = import('../../pages/job/JobPage.svelte');")).toEqual(['charts/time/track', 'pages/job/JobPage.svelte']);
    expect(allowed('charts/time/trace.ts', 'api/jobs')).toBe(false);
    expect(allowed('api/jobs.ts', 'shell/route.svelte')).toBe(false);
    expect(allowed('pages/job/JobPage.svelte', 'pages/jobs/JobsPage.svelte')).toBe(false);
    expect(allowed('shell/TopBar.svelte', 'pages/jobs/JobsPage.svelte')).toBe(false);
    expect(allowed(ROUTER, 'pages/jobs/JobsPage.svelte')).toBe(true);
  });
});
