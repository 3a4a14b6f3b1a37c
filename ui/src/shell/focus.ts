// Where the focus goes when what has it goes away: a keyboard must not begin at the top again.
import { onDestroy } from 'svelte';

/** Called by a component that takes the focus: gives it back to who had it, or to the page's matrix. */
export function returnFocusOnDestroy() {
  const before = document.activeElement;
  onDestroy(() => {
    const to = before instanceof HTMLElement && before !== document.body && before.isConnected ? before : document.querySelector<HTMLElement>('.heat');
    to?.focus({ preventScroll: true });
  });
}
