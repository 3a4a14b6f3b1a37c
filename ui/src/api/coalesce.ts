// News in step with the answers: a page that is asked to look again before it has looked never shows anything.
const LOOK_MS = 50;
const LONGEST_MS = 10_000;

/** Makes what passes news on: at once, or when nothing is under way any more.

    Questions of the news before are dropped with the next: where news come faster than answers,
    as on a busy machine, each would be dropped. What never ends is not waited for. */
export function paced(underWay: () => boolean, tell: () => void, now = () => performance.now()): () => void {
  let due = false;
  let told = -Infinity;
  function look() {
    if (underWay() && now() - told < LONGEST_MS) { setTimeout(look, LOOK_MS); return; }
    due = false;
    told = now();
    tell();
  }
  return () => {
    if (due) return;
    due = true;
    look();
  };
}
