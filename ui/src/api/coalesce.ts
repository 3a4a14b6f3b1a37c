// News in step with the answers: a page that is asked to look again before it has looked never shows anything.
const CHECK_MS = 50;
const LONGEST_MS = 10_000;

/** Makes what passes news on: at once, or when nothing is under way any more.

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
