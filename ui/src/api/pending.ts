// Says on <html data-idle> that all that was asked for is there and drawn: what looks at pages
// (screenshots, measurements) waits for it.
let pending = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
const QUIET_MS = 150;

function markComplete() {
  requestAnimationFrame(() => requestAnimationFrame(() => {
    if (pending === 0) document.documentElement.dataset['idle'] = '';
  }));
}

/** Something has begun that will change the page. */
export function beginWork() {
  pending += 1;
  clearTimeout(timer);
  if (typeof document !== 'undefined') delete document.documentElement.dataset['idle'];
}

/** It is over; the page gets a moment to draw what came. */
export function endWork() {
  pending -= 1;
  clearTimeout(timer);
  if (pending === 0 && typeof document !== 'undefined') timer = setTimeout(markComplete, QUIET_MS);
}
