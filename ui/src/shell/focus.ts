// Returns the focus when a component with the focus is removed, so that keyboard users keep their position.
import { onDestroy } from 'svelte';

/** Call in a component that takes the focus: on its removal the element that had it gets it back, or the page's matrix. */
export function returnFocusOnDestroy() {
  const before = document.activeElement;
  onDestroy(() => {
    const to = before instanceof HTMLElement && before !== document.body && before.isConnected ? before : document.querySelector<HTMLElement>('.heat');
    to?.focus({ preventScroll: true });
  });
}
