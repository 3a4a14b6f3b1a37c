// The cursor that all charts of a page with a time axis share: the hovered chart sets it, all draw it.
let at = $state<number | null>(null);

/** The position of the cursor, s since the epoch; null: there is none. */
export const cursor = {
  get at() { return at; },
  set at(to: number | null) { at = to; },
};
