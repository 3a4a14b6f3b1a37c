// The address holds the state of the view, so every view can be sent as a link.
let path = $state(location.pathname);
let words = $state(location.search);
const query = $derived(new URLSearchParams(words));

addEventListener('popstate', () => { path = location.pathname; words = location.search; });

export const route = {
  get path() { return path; },
  get query() { return query; },
  go(to: string) { history.pushState(null, '', to); path = location.pathname; words = location.search; scrollTo(0, 0); },
  /** Changes parameters of the query without a new history entry; null removes one, a list repeats it. */
  set(change: Record<string, string | readonly string[] | null>) {
    const next = new URLSearchParams(words);
    for (const [name, value] of Object.entries(change)) {
      next.delete(name);
      for (const item of typeof value === 'string' ? [value] : (value ?? [])) if (item) next.append(name, item);
    }
    const text = next.toString();
    words = text ? `?${text}` : '';
    history.replaceState(null, '', path + words);
  },
};

/** Follows a click on a link to another page of this application without reloading. */
export function followLink(event: MouseEvent) {
  const link = (event.target as Element).closest('a');
  if (!link || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
  if (link.origin !== location.origin || link.hasAttribute('download') || link.rel === 'external') return;
  if (link.hash && link.pathname === location.pathname) return; // a link within this page
  event.preventDefault();
  route.go(link.pathname + link.search);
}
