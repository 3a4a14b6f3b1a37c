// Zooms and pans a view over time by mouse, wheel, touch and keys; the same for charts and grids.
import { chartKey } from '../../shell/keys';
import { boxOf, viewport } from '../../shell/viewport.svelte';
import { clampSpan, panSpan, pinchSpan, scaleSpan, type TimeSpan } from './zoom';

export interface GestureOptions {
  span: () => TimeSpan;
  whole: () => TimeSpan;
  /** The shortest span, s. */
  least: () => number;
  set: (span: TimeSpan) => void;
  all: () => void;
  /** Width of labels and margins to the left and right of the plot, px. */
  left: number;
  right: number;
  /** Handles further keys; returns true if it handled this one. */
  key?: (event: KeyboardEvent) => boolean;
}

const WHEEL = 0.002;
/** A mouse that moved less, px, has clicked. */
const STILL = 4;

export function gestures(node: HTMLElement, options: GestureOptions) {
  let wanted: TimeSpan | null = null;
  // Fingers and wheels send more events than the screen draws frames.
  function go(span: TimeSpan) {
    if (wanted === null) requestAnimationFrame(() => { if (wanted) options.set(wanted); wanted = null; });
    wanted = clampSpan(span, options.whole(), options.least());
  }
  const now = () => wanted ?? options.span();
  function place(x: number): number {
    const box = boxOf(node);
    return (x / viewport.zoom - box.left - options.left) / Math.max(box.width - options.left - options.right, 1);
  }
  const bounded = (part: number) => Math.min(Math.max(part, 0), 1);

  function wheel(event: WheelEvent) {
    const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
    if (event.ctrlKey || event.metaKey) go(scaleSpan(now(), Math.exp(event.deltaY * WHEEL), bounded(place(event.clientX))));
    else if (event.shiftKey || sideways) go(panSpan(now(), (sideways ? event.deltaX : event.deltaY) * WHEEL));
    else return; // the page scrolls
    event.preventDefault();
  }

  function key(event: KeyboardEvent) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (options.key?.(event)) { event.preventDefault(); return; }
    const word = chartKey(event);
    if (word === 'in') go(scaleSpan(now(), 0.5));
    else if (word === 'out') go(scaleSpan(now(), 2));
    else if (word === 'left') go(panSpan(now(), -0.2));
    else if (word === 'right') go(panSpan(now(), 0.2));
    else if (word === 'all') options.all();
    else return;
    event.preventDefault();
  }

  // One finger pans, two fingers zoom and pan. A mouse selects a span; with Shift it pans.
  const fingers = new Map<number, number>();
  const chosen = document.createElement('div');
  chosen.className = 'chosen';
  chosen.hidden = true;
  node.append(chosen);
  let begun: { x: number; span: TimeSpan; pans: boolean } | null = null;

  function down(event: PointerEvent) {
    if (event.button !== 0 || (event.target as Element).closest('button, a, input, select')) return;
    if (event.pointerType === 'touch') {
      fingers.set(event.pointerId, place(event.clientX));
      return;
    }
    begun = { x: event.clientX, span: now(), pans: event.shiftKey };
  }
  function move(event: PointerEvent) {
    const before = fingers.get(event.pointerId);
    if (before !== undefined) {
      const after = place(event.clientX);
      const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
      if (other === undefined) go(panSpan(now(), before - after));
      else go(pinchSpan(now(), [other, before], [other, after]));
      fingers.set(event.pointerId, after);
      return;
    }
    if (!begun) return;
    const by = event.clientX - begun.x;
    if (Math.abs(by) < STILL && chosen.hidden) return;
    if (!node.hasPointerCapture(event.pointerId)) node.setPointerCapture(event.pointerId);
    if (begun.pans) { go(panSpan(begun.span, place(begun.x) - place(event.clientX))); return; }
    const box = boxOf(node);
    const [a, b] = [begun.x, event.clientX].map((x) => Math.min(Math.max(x / viewport.zoom - box.left, options.left), box.width - options.right)) as [number, number];
    chosen.hidden = false;
    chosen.style.left = `${Math.min(a, b)}px`;
    chosen.style.width = `${Math.abs(b - a)}px`;
  }
  function up(event: PointerEvent) {
    fingers.delete(event.pointerId);
    if (begun && !chosen.hidden && event.type === 'pointerup') {
      const [from, to] = [...[begun.x, event.clientX].map((x) => bounded(place(x)))].sort((a, b) => a - b) as [number, number];
      const [start, end] = begun.span;
      if (to > from) go([start + (end - start) * from, start + (end - start) * to]);
    }
    chosen.hidden = true;
    begun = null;
  }
  const twice = (event: MouseEvent) => { if (!(event.target as Element).closest('button, a')) options.all(); };

  node.addEventListener('wheel', wheel, { passive: false });
  node.addEventListener('keydown', key);
  node.addEventListener('pointerdown', down);
  node.addEventListener('pointermove', move);
  for (const name of ['pointerup', 'pointercancel', 'pointerleave'] as const) {
    node.addEventListener(name, (event) => { if (name !== 'pointerleave' || event.pointerType === 'touch') up(event); });
  }
  node.addEventListener('dblclick', twice);
  node.style.touchAction = 'pan-y'; // one finger scrolls the page up and down
  return { update: (next: GestureOptions) => { options = next; }, destroy: () => chosen.remove() };
}
