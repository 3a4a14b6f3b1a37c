// Slows change events down to the pace of the answers: a page that reloads before its answers are there shows nothing.
const CHECK_MS = 50;
const LONGEST_MS = 10_000;

/** Returns a function that announces a change: at once, or when no request is under way any more.

    Questions of the news before are dropped with the next: where news come faster than answers,
    as on a busy machine, each would be dropped. What never ends is not waited for. */
export function coalesced(underWay: () => boolean, announce: () => void, now = () => performance.now()): () => void {
  let due = false;
  let announcedAt = -Infinity;
  function check() {
    if (underWay() && now() - announcedAt < LONGEST_MS) { setTimeout(check, CHECK_MS); return; }
    due = false;
    announcedAt = now();
    announce();
  }
  return () => {
    if (due) return;
    due = true;
    check();
  };
}
