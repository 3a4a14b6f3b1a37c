import { expect, it, vi } from 'vitest';
vi.mock('../../../shell/theme.svelte', () => ({ colour: () => 'black', theme: { revision: 0 } }));
vi.mock('../../../shell/viewport.svelte', () => ({}));
import { draw, nearest, svgPen, type Scene } from './segment-scatter';
import { linearAxis } from '../../../charts/axis';
import type { Segments } from '../../../api/api-types';

const list = (rows: [number, number, number][]) => ({ at_s: rows.map((r) => r[0]), seconds: rows.map((r) => r[1]), cluster: rows.map(() => 1), threshold_s: rows.map(() => 1.5), lost_s: rows.map((r) => r[2]), work: rows.map(() => null) });
const segments = { start_ns: 1000e9, usual: list([[0, 1, 0], [1, 1, 0]]), hits: list([[2, 3, 2]]) } as unknown as Segments;
const scene: Scene = { segments: segments, axis: linearAxis([1, 3]), from: 1000, to: 1010, threshold: true, room: { width: 1076, height: 140, left: 76, right: 0, top: 10, bottom: 30 } };
const y = (value: number) => 110 - (value / scene.axis.high) * 100;

it('finds the segment under the pointer: anywhere along its length', () => {
  expect(nearest(scene, 76 + 350, y(3))).toEqual({ hit: true, at: 0 });
  expect(nearest(scene, 76 + 50, y(1) + 3)).toEqual({ hit: false, at: 0 });
  expect(nearest(scene, 76 + 900, y(1))).toBeNull();
});

it('draws segments, what they lost, and the threshold as one line', () => {
  const { pen, text } = svgPen();
  draw(pen, scene, { own: 'blue', others: 'orange', rule: 'grey', soft: 'grey' });
  const drawn = text();
  expect(drawn.match(/<rect[^>]*fill="blue"/g)).toHaveLength(2);
  expect(drawn.match(/<rect[^>]*fill="orange"/g)).toHaveLength(2);
  expect(drawn.match(/stroke-dasharray/g)).toHaveLength(1);
  // The bar of the loss reaches from the duration down to the expected duration.
  const tall = Number(/height="([\d.]+)" fill="orange" opacity="0.28"/.exec(drawn)?.[1]);
  expect(tall).toBeCloseTo(y(1) - y(3), 0);
});

it('leaves out what lies outside of the span', () => {
  const { pen, text } = svgPen();
  draw(pen, { ...scene, from: 1006, to: 1010, threshold: false }, { own: 'blue', others: 'orange', rule: 'grey', soft: 'grey' });
  expect(text()).not.toMatch(/blue|orange/);
});
