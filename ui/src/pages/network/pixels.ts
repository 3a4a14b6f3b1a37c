// A small picture, a pixel for each value, that is stretched onto a canvas. It is made once and written anew at each step.

export class Pixels {
  readonly canvas = new OffscreenCanvas(1, 1);
  private readonly context = this.canvas.getContext('2d');
  private data = new ImageData(1, 1);

  /** Returns the pixels of a picture of a size, to be written; they are not cleared. */
  of(width: number, height: number): Uint32Array {
    if (this.data.width !== width || this.data.height !== height) {
      [this.canvas.width, this.canvas.height] = [width, height];
      this.data = new ImageData(width, height);
    }
    return new Uint32Array(this.data.data.buffer);
  }

  /** Puts what was written on the canvas. */
  put() { this.context?.putImageData(this.data, 0, 0); }
}
