// Maps addresses to pages. Each page is loaded when it is opened, so no page waits for the code of another.
import { decodePathPart } from './address';

interface Loaded { default: unknown }
/** A page that an address leads to. */
export interface PageEntry {
  load: () => Promise<Loaded>;
  /** The name of a job or a study in the address. */
  name: string | undefined;
}

const PAGES: [RegExp, () => Promise<Loaded>][] = [
  [/^\/(?:jobs)?$/, () => import('../pages/jobs/JobsPage.svelte')],
  [/^\/jobs\/([^/]+)$/, () => import('../pages/job/JobPage.svelte')],
  [/^\/now$/, () => import('../pages/now/NowPage.svelte')],
  [/^\/losses$/, () => import('../pages/losses/LossesPage.svelte')],
  [/^\/system$/, () => import('../pages/system/SystemPage.svelte')],
  [/^\/network$/, () => import('../pages/network/NetworkPage.svelte')],
  [/^\/nodes$/, () => import('../pages/nodes/NodesPage.svelte')],
  [/^\/nodes\/([^/]+)$/, () => import('../pages/nodes/NodePage.svelte')],
  [/^\/matrix$/, () => import('../pages/matrix/MatrixPage.svelte')],
  [/^\/studies$/, () => import('../pages/studies/StudiesPage.svelte')],
  [/^\/studies\/([^/]+)$/, () => import('../pages/study/StudyPage.svelte')],
  [/^\/compare$/, () => import('../pages/compare/ComparePage.svelte')],
];

export const LOGIN_PAGE: PageEntry = { load: () => import('../pages/login/LoginPage.svelte'), name: undefined };

/** Returns the page of an address; null: there is none. */
export function findPage(path: string): PageEntry | null {
  for (const [pattern, load] of PAGES) {
    const match = pattern.exec(path);
    if (match) return { load, name: match[1] === undefined ? undefined : decodePathPart(match[1]) };
  }
  return null;
}
