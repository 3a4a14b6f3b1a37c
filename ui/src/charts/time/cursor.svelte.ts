// One cursor for everything on a page that has a time axis: who is hovered sets it, all draw it.
let at = $state<number | null>(null);

/** Where the cursor is, in seconds since the epoch; null: nowhere. */
export const cursor = {
  get at() { return at; },
  set at(to: number | null) { at = to; },
};
