import { describe, expect, it } from 'vitest';
import { placing, WHOLE } from '../../../charts/navigation/plane-zoom';
import { compositePicture } from './composite';
import { paintPicture, type Paints } from './paint';
import { inkLines, inksOf, sortByInk, type Picture } from './picture';
import { syntheticLoads, syntheticTorus } from './synthetic';
import { cuboidPicture, detailPicture } from './planes';
import { polygonPicture } from './polygon';
import { readTorus } from './torus';

// 10 000 switches and 80 000 links. What the canvas itself takes is not in these numbers.
const shape = syntheticTorus([10, 10, 10, 10]);
const torus = readTorus(shape);
const order = [0, 1, 2, 3];
const room = { x: 0, y: 0, width: 680, height: 560 };
const inks = inksOf('traffic', []);
const box = { edge: 'none', fill: null };
const paints: Paints = {
  strokes: inks.map(({ width, pale }) => ({ style: '', width, faint: pale })), card: '', ink: '', soft: '', faint: '', rule: '', mark: '',
  boxes: { plane: box, cuboid: box, block: box, bar: box, polygon: box, node: box },
};
interface Used { user: number; system: number }
declare const process: { cpuUsage: (since?: Used) => Used };
/** A canvas that takes everything. */
const context = new Proxy({}, { get: () => () => undefined, set: () => true }) as CanvasRenderingContext2D;
const sort = (picture: Picture, along: number) => sortByInk(picture, inkLines(picture, steps[along] ?? syntheticLoads(shape, 0), { colour: 'traffic', tokens: [], highlight: null }), inks.length);
const steps = [0, 1, 2, 3].map((along) => syntheticLoads(shape, along));
const paint = (picture: Picture, sorted: ReturnType<typeof sort>, zoom: number) => paintPicture(context, picture, sorted, paints, placing({ ...WHOLE, zoom }, picture, room), room);

function median(what: string, work: (turn: number) => void, turns = 15): number {
  // Processor time: other programs on the machine do not count.
  const times = Array.from({ length: turns }, (_, turn) => { const begin = process.cpuUsage(); work(turn); const { user, system } = process.cpuUsage(begin); return (user + system) / 1e3; });
  const middle = times.sort((a, b) => a - b)[Math.floor(turns / 2)] ?? 0;
  console.info(`a torus of 10 000 switches, ${what}: ${middle.toFixed(1)} ms`);
  return middle;
}

describe('a torus of 10 000 switches and 80 000 links is drawn within 16 ms of script', () => {
  const pictures = [detailPicture(torus, order), compositePicture(torus, order)];
  it('at another time step', () => { expect(median('time step', (turn) => pictures.forEach((picture) => paint(picture, sort(picture, turn % 4), 1)))).toBeLessThan(16); });
  it('at another zoom', () => {
    const sorted = pictures.map((picture) => sort(picture, 0));
    expect(median('zoom', (turn) => pictures.forEach((picture, at) => paint(picture, sorted[at] ?? sort(picture, 0), 1 + turn / 8)))).toBeLessThan(16);
  });
  it('at another plane', () => {
    expect(median('plane change', (turn) => [cuboidPicture(torus, order, turn, 1), polygonPicture(torus, order, turn)].forEach((picture) => paint(picture, sort(picture, 0), 1)))).toBeLessThan(16);
  });
  it('but needs longer for another order', () => {
    expect(median('order of dimensions', (turn) => { const next = turn % 2 ? [1, 0, 2, 3] : [3, 2, 1, 0]; [detailPicture(torus, next), compositePicture(torus, next)].forEach((picture) => paint(picture, sort(picture, 0), 1)); }, 7)).toBeLessThan(200);
  });
});
