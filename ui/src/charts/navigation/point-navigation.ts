// Chooses a point of a small chart by keys or pointer. Pure.

/** A point: the index of its line, and its index on that line. */
export interface PointRef { line: number; point: number }

const WAYS: Record<string, readonly [number, number]> = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

const nearest = (places: readonly number[], place: number) =>
  places.reduce((best, other, at) => (Math.abs(other - place) < Math.abs((places[best] ?? Infinity) - place) ? at : best), 0);

/** Returns the point that a key leads to: along a line with left and right, to the line above or below with up and down.

    `lines` has the x positions of each line's points, from left to right. Without a current point a key leads to the
    beginning or, going left, to the end. Null: the key has no meaning here. */
export function nextPoint(lines: readonly (readonly number[])[], now: PointRef | null, key: string): PointRef | null {
  const way = WAYS[key];
  if (!way || !lines.some((line) => line.length)) return null;
  const end = (line: number) => Math.max((lines[line]?.length ?? 0) - 1, 0);
  if (!now) {
    const line = lines.findIndex((points) => points.length);
    return { line, point: way[1] < 0 ? end(line) : 0 };
  }
  const [down, on] = way;
  if (on) return { line: now.line, point: Math.min(Math.max(now.point + on, 0), end(now.line)) };
  const line = now.line + down;
  return lines[line]?.length ? { line, point: nearest(lines[line], lines[now.line]?.[now.point] ?? 0) } : now;
}

/** Returns the point nearest to a position; `lines` has the drawn positions of all points. */
export function nearestPoint(lines: readonly (readonly (readonly [number, number])[])[], x: number, y: number): PointRef | null {
  let [least, best] = [Infinity, null as PointRef | null];
  lines.forEach((points, line) => points.forEach(([px, py], point) => {
    const far = (px - x) ** 2 + (py - y) ** 2;
    if (far < least) [least, best] = [far, { line, point }];
  }));
  return best;
}

/** Returns the position of an event in a picture of wide × high units, whatever its size on the screen. */
export function positionOn(event: PointerEvent, wide: number, high: number): [number, number] {
  const box = (event.currentTarget as Element).getBoundingClientRect();
  return [((event.clientX - box.left) / box.width) * wide, ((event.clientY - box.top) / box.height) * high];
}
