// Rows of a long list, loaded in pages as they come into view.
import { isAborted } from '../../api/request';

const SIZE = 100;

export interface RowPage<Row> { total: number; jobs: Row[] }

/** Rows by number; undefined: not loaded yet. After a reload the old rows stay until the new ones arrive. */
export class PagedRows<Row, Answer extends RowPage<Row>> {
  rows = $state.raw<(Row | undefined)[]>([]);
  first = $state.raw<Answer>();
  failed = $state.raw<Error>();
  #asked: number[] = [];
  #stop = new AbortController();
  #load: ((offset: number, limit: number, signal: AbortSignal) => Promise<Answer>) | undefined;
  #fresh = true;

  /** Reloads, beginning with the rows on the screen. */
  begin(load: (offset: number, limit: number, signal: AbortSignal) => Promise<Answer>, range: [number, number]) {
    this.#stop.abort();
    this.#stop = new AbortController();
    this.#asked = [];
    this.#fresh = true;
    this.#load = load;
    this.want(range);
  }

  /** Loads the missing rows of a range. */
  want([from, to]: [number, number]) {
    const total = this.first && !this.#fresh ? this.first.total : Infinity;
    const last = Math.max(Math.min(to, total) - 1, 0);
    for (let page = Math.floor(from / SIZE); page <= Math.floor(last / SIZE); page += 1) {
      if (!this.#asked.includes(page)) this.#get(page);
    }
  }

  #get(page: number) {
    const { signal } = this.#stop;
    this.#asked.push(page);
    this.#load?.(page * SIZE, SIZE, signal).then(
      (answer) => {
        if (signal.aborted) return;
        const rows = this.#fresh ? [] : [...this.rows];
        this.#fresh = false;
        rows.length = answer.total;
        answer.jobs.forEach((row, at) => { rows[page * SIZE + at] = row; });
        this.rows = rows;
        this.first = answer;
        this.failed = undefined;
      },
      (error: Error) => { if (!isAborted(error)) { this.failed = error; this.#asked = this.#asked.filter((other) => other !== page); } },
    );
  }
}
