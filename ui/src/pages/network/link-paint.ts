// The colour of each link, by traffic, waiting or job. Pure.
import { colourRamp } from '../../charts/grids/raster';
import { NO_JOB, type Colour, type StepLoads } from './fabric';

type Rgb = [number, number, number];
/** The colours that links are painted in, as they are in the theme. */
export interface LinkPaints {
  /** From nothing to the greatest load, and from no waiting to waiting always: 256 colours each. */
  traffic: Uint32Array; waiting: Uint32Array;
  /** 256 colours of each job, from its least to its greatest load. */
  jobs: Uint32Array[];
  unknown: number; idle: number;
}

const pack = ([r, g, b]: Rgb) => ((255 << 24) | (Math.round(b) << 16) | (Math.round(g) << 8) | Math.round(r)) >>> 0;
const mixed = (a: Rgb, b: Rgb, part: number): Rgb => [a[0] + (b[0] - a[0]) * part, a[1] + (b[1] - a[1]) * part, a[2] + (b[2] - a[2]) * part];
/** A job's least load is painted so strongly: its colour must still be known. */
const LEAST = 0.3;
/** Links of other jobs than the highlighted one are painted so strongly. */
const FADED = 0.12;

/** Makes the paints of a theme. */
export function linkPaints(of: (token: string) => Rgb, tokens: readonly string[], highlighted: number | null): LinkPaints {
  const idle = of('unsure');
  return {
    traffic: colourRamp([of('grid-0'), of('grid-1'), of('grid-2')]),
    waiting: colourRamp([of('grid-0'), of('heat-1'), of('heat-2')]),
    jobs: tokens.map((token, at) => {
      const faded = highlighted !== null && highlighted !== at;
      const [least, most] = faded ? [FADED, FADED] : [LEAST, 1];
      return colourRamp([mixed(idle, of(token), least), mixed(idle, of(token), (least + most) / 2), mixed(idle, of(token), most)]);
    }),
    unknown: pack(idle), idle: pack(idle),
  };
}

/** Returns the colour of each link as the four bytes of a pixel. Roots of loads are painted: a tenth of the greatest load must still be seen. */
export function paintLinks(step: StepLoads, colour: Colour, paints: LinkPaints, into: Uint32Array): Uint32Array {
  const scale = step.greatest > 0 ? 255 ** 2 / step.greatest : 0;
  const { load, job, waiting } = step;
  for (let link = 0; link < load.length; link += 1) {
    const value = load[link] ?? 0;
    if (colour === 'waiting') {
      const part = waiting[link] ?? NaN;
      into[link] = part === part ? (paints.waiting[Math.min(Math.round(part * 255), 255)] ?? 0) : paints.unknown;
    } else if (value <= 0) into[link] = paints.idle;
    else {
      const place = Math.min(Math.round(Math.sqrt(value * scale)), 255);
      const who = job[link] ?? NO_JOB;
      const ramp = colour === 'job' ? paints.jobs[who] : paints.traffic;
      into[link] = ramp ? (ramp[place] ?? 0) : paints.unknown;
    }
  }
  return into;
}

/** The pixel as CSS text. */
export const cssOf = (pixel: number) => `rgb(${pixel & 255} ${(pixel >> 8) & 255} ${(pixel >> 16) & 255})`;
