// The points of a small chart, told one by one: by keys, and by whoever points there. Pure.

/** A point: its line, and its place on it. */
export interface PointRef { line: number; point: number }

const WAYS: Record<string, readonly [number, number]> = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

const nearest = (places: readonly number[], place: number) =>
  places.reduce((best, other, at) => (Math.abs(other - place) < Math.abs((places[best] ?? Infinity) - place) ? at : best), 0);

/** Where a key leads: along a line with left and right, to the line above or below with up and down.

    `lines` has the places of each line's points, from left to right. From nowhere a key leads to the
    beginning, or, going left, to the end. Null: the key means nothing here. */
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

/** The point nearest to one of the picture; places of points are given as they are drawn. */
export function nearestPoint(lines: readonly (readonly (readonly [number, number])[])[], x: number, y: number): PointRef | null {
  let [least, best] = [Infinity, null as PointRef | null];
  lines.forEach((points, line) => points.forEach(([px, py], point) => {
    const far = (px - x) ** 2 + (py - y) ** 2;
    if (far < least) [least, best] = [far, { line, point }];
  }));
  return best;
}

/** Where on a picture of a certain size, however large it is on the screen, somebody points. */
export function positionOn(event: PointerEvent, wide: number, high: number): [number, number] {
  const box = (event.currentTarget as Element).getBoundingClientRect();
  return [((event.clientX - box.left) / box.width) * wide, ((event.clientY - box.top) / box.height) * high];
}
