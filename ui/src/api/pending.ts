// Says on <html data-idle> that all that was asked for is there and drawn: what looks at pages
// (screenshots, measurements) waits for it.
let pending = 0;
let later: ReturnType<typeof setTimeout> | undefined;
const QUIET_MS = 150;

function tell() {
  requestAnimationFrame(() => requestAnimationFrame(() => {
    if (pending === 0) document.documentElement.dataset['idle'] = '';
  }));
}

/** Something has begun that will change the page. */
export function begin() {
  pending += 1;
  clearTimeout(later);
  if (typeof document !== 'undefined') delete document.documentElement.dataset['idle'];
}

/** It is over; the page gets a moment to draw what came. */
export function end() {
  pending -= 1;
  clearTimeout(later);
  if (pending === 0 && typeof document !== 'undefined') later = setTimeout(tell, QUIET_MS);
}
