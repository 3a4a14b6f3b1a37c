// Arithmetic of zoom and pan of a picture in two directions. Pure.

/** What of a picture is shown: how many times larger than when it just fits, and the middle, as parts of its width and height. */
export interface Window { zoom: number; x: number; y: number }
export const WHOLE: Window = { zoom: 1, x: 0.5, y: 0.5 };
const MOST = 64;

/** The way from the picture to the screen: `left + x * scale`. */
export interface Placing { scale: number; left: number; top: number }
export interface Size { width: number; height: number }

/** Places a picture in a room, px; what is smaller than the room is centred. */
export function placing(window: Window, picture: Size, room: Size): Placing {
  const scale = fitScale(picture, room) * window.zoom;
  const start = (middle: number, length: number, space: number) => {
    const drawn = length * scale;
    return drawn <= space ? (space - drawn) / 2 : Math.min(Math.max(space / 2 - middle * drawn, space - drawn), 0);
  };
  return { scale, left: start(window.x, picture.width, room.width), top: start(window.y, picture.height, room.height) };
}
export const fitScale = (picture: Size, room: Size) => Math.max(Math.min(room.width / (picture.width || 1), room.height / (picture.height || 1)), 1e-6);

/** Returns the window that a placing shows, without what is beyond the edges. */
function windowOf({ scale, left, top }: Placing, picture: Size, room: Size): Window {
  const zoom = scale / fitScale(picture, room);
  const middle = (start: number, length: number, space: number) => (length * scale <= space ? 0.5 : (space / 2 - start) / (length * scale));
  return { zoom, x: middle(left, picture.width, room.width), y: middle(top, picture.height, room.height) };
}

/** Zooms by a factor; the point of the room under (x, y), px, stays there. */
export function zoomAt(window: Window, picture: Size, room: Size, factor: number, x: number, y: number): Window {
  const zoom = Math.min(Math.max(window.zoom * factor, 1), MOST);
  const now = placing(window, picture, room);
  const by = zoom / window.zoom;
  const moved = { scale: now.scale * by, left: x - (x - now.left) * by, top: y - (y - now.top) * by };
  return moveBy(windowOf(moved, picture, room), picture, room, 0, 0);
}

/** Zooms by a factor, with a point in the middle; x and y are parts of the picture's width and height. */
export const zoomTo = (window: Window, factor: number, x: number, y: number): Window => ({ zoom: Math.min(Math.max(window.zoom * factor, 1), MOST), x, y });

/** Moves the picture by a way, px; it does not leave the room. */
export function moveBy(window: Window, picture: Size, room: Size, x: number, y: number): Window {
  const now = placing(window, picture, room);
  const drawn = { width: picture.width * now.scale, height: picture.height * now.scale };
  const start = (at: number, length: number, space: number) => (length <= space ? (space - length) / 2 : Math.min(Math.max(at, space - length), 0));
  return windowOf({ scale: now.scale, left: start(now.left + x, drawn.width, room.width), top: start(now.top + y, drawn.height, room.height) }, picture, room);
}
