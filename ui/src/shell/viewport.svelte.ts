// A wall display is read from afar: there the style sheet enlarges the whole page, and what counts
// in the screen's pixels has to know by how much.
let zoom = $state(1);
let height = $state(innerHeight);

function measure() {
  zoom = Number(getComputedStyle(document.documentElement).zoom) || 1;
  height = innerHeight / zoom;
}
addEventListener('resize', measure);
measure();

export const viewport = {
  /** How many of the screen's pixels one of the page's is. */
  get zoom() { return zoom; },
  /** Height of the screen, in the page's pixels. */
  get height() { return height; },
  /** Dots of the screen, or of a picture in its files, per pixel of the page. */
  get dots() { return devicePixelRatio * zoom; },
};

/** A place on the screen, in the page's pixels. */
export const unzoomed = (box: DOMRect) => new DOMRect(box.x / zoom, box.y / zoom, box.width / zoom, box.height / zoom);
/** An element's place on the screen, in the page's pixels. */
export const boxOf = (node: Element) => unzoomed(node.getBoundingClientRect());

/** Where in an element an event was, in the page's pixels. */
export function positionIn(event: MouseEvent, node: Element): [number, number] {
  const box = boxOf(node);
  return [event.clientX / zoom - box.left, event.clientY / zoom - box.top];
}
