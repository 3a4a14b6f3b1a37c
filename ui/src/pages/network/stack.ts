// Loads of jobs upon each other over time, as outlines in a box of 1 × 1. Pure.

/** Returns an SVG path for each job; the box is as high as the greatest sum, or the greatest load where ports counted more. */
export function stackPaths(jobs: readonly (readonly number[])[], load: readonly number[]): string[] {
  const steps = load.length;
  const whole = Array.from({ length: steps }, (_, at) => jobs.reduce((sum, values) => sum + (values[at] ?? 0), 0));
  const most = Math.max(...whole, ...load, 0);
  if (!most) return jobs.map(() => '');
  const n = (value: number) => String(Math.round(value * 1e4) / 1e4);
  const below = new Array<number>(steps).fill(0);
  return jobs.map((values) => {
    let there = '', back = '';
    for (let at = 0; at < steps; at += 1) {
      const [low, high] = [below[at] ?? 0, (below[at] ?? 0) + (values[at] ?? 0)];
      const [left, right] = [n(at / steps), n((at + 1) / steps)];
      there += `${at ? 'L' : 'M'}${left} ${n(1 - high / most)}L${right} ${n(1 - high / most)}`;
      back = `L${right} ${n(1 - low / most)}L${left} ${n(1 - low / most)}${back}`;
      below[at] = high;
    }
    return `${there}${back}Z`;
  });
}
