// The visible span of time. It moves at once; the address follows when it rests.
import { untrack } from 'svelte';
import { beginWork, endWork } from '../../api/pending';
import { route } from '../../shell/route.svelte';
import { clampSpan, isSameSpan, type TimeSpan } from '../../charts/navigation/zoom';

const REST_MS = 120;

/** Creates the view of a component; `whole` may grow while a job runs. */
export function createTimeView(whole: () => TimeSpan, least: () => number) {
  let moved = $state.raw<TimeSpan | null>(null);
  let written = '';
  let later: ReturnType<typeof setTimeout> | undefined;
  let [stepped, goal] = [0, null as TimeSpan | null];
  let moving = $state(false);
  const asked = $derived.by((): TimeSpan | null => {
    const [from, to] = ['from', 'to'].map((word) => Number(route.query.get(word))) as [number, number];
    return from > 0 && to > from ? [from, to] : null;
  });
  const span = $derived.by((): TimeSpan => {
    const wanted = moved ?? asked;
    return wanted ? clampSpan(wanted, whole(), least()) : whole();
  });
  // A link may lead to another span of the same page.
  $effect(() => {
    const now = `${route.query.get('from') ?? ''} ${route.query.get('to') ?? ''}`;
    if (now !== written) { written = now; moved = null; untrack(stop); }
  });
  /** Writes the span to the address once it rests (browsers limit changes of the address); finer series are requested then. */
  function settle() {
    const left = stepped + REST_MS - performance.now();
    if (left > 0) { later = setTimeout(settle, left); return; }
    const change = goal ? { from: goal[0].toFixed(3), to: goal[1].toFixed(3) } : { from: null, to: null };
    written = `${change.from ?? ''} ${change.to ?? ''}`;
    route.set(change);
    if (!goal) moved = null;
    stop();
  }
  function stop() {
    clearTimeout(later);
    if (moving) endWork();
    moving = false;
  }
  $effect(() => stop);
  return {
    get from() { return span[0]; },
    get to() { return span[1]; },
    get zoomed() { return !isSameSpan(span, whole()); },
    /** Whether the span is moving: requests wait, loaded data is drawn. */
    get moving() { return moving; },
    /** Shows a span, s; null: the whole run. */
    zoom(from: number | null, to: number | null) {
      goal = from === null || to === null || isSameSpan([from, to], whole()) ? null : [from, to];
      moved = goal ?? whole();
      stepped = performance.now();
      if (moving) return;
      moving = true;
      beginWork();
      later = setTimeout(settle, REST_MS);
    },
  };
}
export type TimeView = ReturnType<typeof createTimeView>;
