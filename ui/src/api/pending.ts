// Sets <html data-idle> when all requests are answered and drawn. Screenshots and measurements wait for it.
let pending = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
const QUIET_MS = 150;

function markComplete() {
  requestAnimationFrame(() => requestAnimationFrame(() => {
    if (pending === 0) document.documentElement.dataset['idle'] = '';
  }));
}

/** Call before work that will change the page. */
export function beginWork() {
  pending += 1;
  clearTimeout(timer);
  if (typeof document !== 'undefined') delete document.documentElement.dataset['idle'];
}

/** Call after that work; the page counts as complete once it has had time to draw. */
export function endWork() {
  pending -= 1;
  clearTimeout(timer);
  if (pending === 0 && typeof document !== 'undefined') timer = setTimeout(markComplete, QUIET_MS);
}
