// The style sheet enlarges the whole page on wall displays (CSS zoom). Code that uses pixels of the screen needs the factor.
let zoom = $state(1);
let height = $state(innerHeight);

function measure() {
  zoom = Number(getComputedStyle(document.documentElement).zoom) || 1;
  height = innerHeight / zoom;
}
addEventListener('resize', measure);
measure();

export const viewport = {
  /** Pixels of the screen per pixel of the page. */
  get zoom() { return zoom; },
  /** Height of the screen, in pixels of the page. */
  get height() { return height; },
  /** Device pixels per pixel of the page. */
  get dots() { return devicePixelRatio * zoom; },
};

/** Converts a box from pixels of the screen to pixels of the page. */
export const unzoomed = (box: DOMRect) => new DOMRect(box.x / zoom, box.y / zoom, box.width / zoom, box.height / zoom);
/** Returns the box of an element on the screen, in pixels of the page. */
export const boxOf = (node: Element) => unzoomed(node.getBoundingClientRect());

/** Returns the position of an event in an element, in pixels of the page. */
export function positionIn(event: MouseEvent, node: Element): [number, number] {
  const box = boxOf(node);
  return [event.clientX / zoom - box.left, event.clientY / zoom - box.top];
}
