// Zooms and moves a picture in two directions by wheel, drag, fingers and keys, and reports clicks.
import { chartKey } from '../../shell/keys';
import { positionIn } from '../../shell/viewport.svelte';
import { WHOLE, moveBy, zoomAt, type Size, type Window } from './plane-zoom';

export interface PlaneGestures {
  window: () => Window;
  picture: () => Size;
  room: () => Size;
  /** Where the picture's room begins within the element, px. */
  origin: () => readonly [number, number];
  set: (window: Window) => void;
  /** A click or tap, px within the element. */
  click: (x: number, y: number) => void;
  /** Handles further keys; returns true if it handled this one. */
  key?: (event: KeyboardEvent) => boolean;
}

const WHEEL = 0.002;
/** A pointer that moved less, px, has clicked. */
const STILL = 4;

export function planeGestures(node: HTMLElement, options: PlaneGestures) {
  let wanted: Window | null = null;
  // Fingers and wheels send more events than the screen draws frames.
  function go(window: Window) {
    if (wanted === null) requestAnimationFrame(() => { if (wanted) options.set(wanted); wanted = null; });
    wanted = window;
  }
  const now = () => wanted ?? options.window();
  const zoom = (factor: number, x: number, y: number) => {
    const [left, top] = options.origin();
    go(zoomAt(now(), options.picture(), options.room(), factor, x - left, y - top));
  };
  const move = (x: number, y: number) => go(moveBy(now(), options.picture(), options.room(), x, y));

  function onwheel(event: WheelEvent) {
    if (!event.ctrlKey && !event.metaKey) return; // the page scrolls
    zoom(Math.exp(-event.deltaY * WHEEL), ...positionIn(event, node));
    event.preventDefault();
  }
  function onkeydown(event: KeyboardEvent) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (options.key?.(event)) { event.preventDefault(); return; }
    const word = chartKey(event);
    const { width, height } = options.room();
    const [left, top] = options.origin();
    if (word === 'in') zoom(2, left + width / 2, top + height / 2);
    else if (word === 'out') zoom(0.5, left + width / 2, top + height / 2);
    else if (word === 'all') go(WHOLE);
    else return;
    event.preventDefault();
  }

  const fingers = new Map<number, readonly [number, number]>();
  let far = 0; // how far the pointer went since it was pressed
  function down(event: PointerEvent) {
    if (event.button !== 0 || (event.target as Element).closest('button, a, input, select')) return;
    fingers.set(event.pointerId, positionIn(event, node));
    if (fingers.size === 1) far = 0;
  }
  function drag(event: PointerEvent) {
    const before = fingers.get(event.pointerId);
    if (!before) return;
    const after = positionIn(event, node);
    const [dx, dy] = [after[0] - before[0], after[1] - before[1]];
    far += Math.abs(dx) + Math.abs(dy);
    if (far < STILL) return;
    if (!node.hasPointerCapture(event.pointerId)) node.setPointerCapture(event.pointerId);
    const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
    if (other) zoom(Math.hypot(after[0] - other[0], after[1] - other[1]) / Math.max(Math.hypot(before[0] - other[0], before[1] - other[1]), 8), other[0], other[1]);
    else move(dx, dy);
    fingers.set(event.pointerId, after);
  }
  function up(event: PointerEvent) {
    if (fingers.delete(event.pointerId) && event.type === 'pointerup' && far < STILL) options.click(...positionIn(event, node));
  }
  node.addEventListener('wheel', onwheel, { passive: false });
  node.addEventListener('keydown', onkeydown);
  node.addEventListener('pointerdown', down);
  node.addEventListener('pointermove', drag);
  node.addEventListener('pointerup', up);
  node.addEventListener('pointercancel', up);
  const whole = (event: MouseEvent) => { if (now().zoom > 1 && !(event.target as Element).closest('button, a')) go(WHOLE); };
  node.addEventListener('dblclick', whole);
  // One finger scrolls the page until the picture is enlarged.
  const touch = () => { node.style.touchAction = options.window().zoom > 1 ? 'none' : 'pan-y'; };
  touch();
  return { update: (next: PlaneGestures) => { options = next; touch(); } };
}
