// Blocks of time steps, requested ahead of the step that is shown.
import { SvelteMap } from 'svelte/reactivity';
import { isAborted } from '../../api/request';

/** Blocks that are kept: others are requested again. */
const KEPT = 24;

/** Holds blocks of `size` steps; `want` requests the block of a step and the one after it. */
export class Blocks<Block> {
  private readonly held = new SvelteMap<number, Block>();
  private readonly asked: Record<number, AbortController> = {};
  failed = $state.raw<Error>();

  constructor(private readonly load: (first: number, count: number, signal: AbortSignal) => Promise<Block>, readonly size: number, private readonly steps: number) {}

  /** The block that holds a step; undefined: it is not here yet. */
  at(step: number): Block | undefined { return this.held.get(Math.floor(step / this.size)); }

  want(step: number) {
    const number = Math.floor(step / this.size);
    this.request(number);
    if ((number + 1) * this.size < this.steps) this.request(number + 1);
  }

  private request(number: number) {
    if (this.asked[number]) return;
    const stop = new AbortController();
    this.asked[number] = stop;
    this.load(number * this.size, Math.min(this.size, this.steps - number * this.size), stop.signal).then(
      (block) => {
        this.held.set(number, block);
        const farthest = [...this.held.keys()].sort((a, b) => Math.abs(b - number) - Math.abs(a - number))[0];
        if (this.held.size > KEPT && farthest !== undefined) { this.held.delete(farthest); Reflect.deleteProperty(this.asked, farthest); }
        this.failed = undefined;
      },
      (error: Error) => { Reflect.deleteProperty(this.asked, number); if (!isAborted(error)) this.failed = error; },
    );
  }

  close() { for (const stop of Object.values(this.asked)) stop.abort(); }
}
