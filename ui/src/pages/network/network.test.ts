import { describe, expect, it } from 'vitest';
import type { JobOnLink, OnLink } from '../../api/api-types';
import { readPair, busiestBetween } from './dragonfly/pair';
import { jobColours, LINK_KINDS, NO_JOB, partOfRate, shapeOf, stepOf, type FabricShape, type StepLoads } from './fabric';
import { cssOf, linkPaints, paintLinks } from './link-paint';
import { linkText, sortedLinks } from './link-table';
import { carries, costText, howKnown, interval, modelled, roleOf, secondsOf } from './link-words';
import { busiestFirst, cellAt, layoutRows, linkRows } from './levels';
import { stackPaths } from './stack';
import { peakPath, stepAt, zoomed } from './timeline';
import { busiestUplink } from './tree/uplinks';
import { greatestOf, jobOfCell, paintZones, routers, zoneStep } from './zone-matrix';

// Two leaves with a node each, joined by a spine: node1 - leaf1 - spine1 - leaf2 - node2.
const CABLES = [[0, 2, 'terminal', 'terminal'], [1, 3, 'terminal', 'terminal'], [2, 4, 'up', 'down'], [3, 4, 'up', 'down']] as const;
const NAMES = ['node1', 'node2', 'leaf1', 'leaf2', 'spine1'];
const ends = CABLES.flatMap(([a, b, there, back]) => [[a, b, there], [b, a, back]] as const);
const shape: FabricShape = shapeOf({
  name: 'f', kind: 'fat tree', valid_from_ns: 0, nodes: 2, switches: 3, links: 8, dimensions: [], sizes: [], wraps: [], origin: '', notes: [],
  vertices: NAMES, hosts: ['node1', 'node2', '', '', ''], levels: [0, 0, 1, 1, 2], groups: [-1, -1, -1, -1, -1], planes: [0, 0, 0, 0, 0], coordinates: [[], [], [], [], []],
  kinds: [...LINK_KINDS], sources: ends.map(([a]) => a), targets: ends.map(([, b]) => b), rates: ends.map(() => 8000), lanes: ends.map(() => 1),
  link_kinds: ends.map(([, , kind]) => LINK_KINDS.indexOf(kind)), link_dimensions: ends.map(() => -1), link_signs: ends.map(() => 0),
  link_names: ends.map(([a, b]) => `${NAMES[a]} > ${NAMES[b]}`),
});
const jobs = jobColours(['a', '', 'c']);
const step: StepLoads = {
  load: Float32Array.from([100, 0, 0, 400, 100, 0, 25, 0]), high: null, greatest: 400,
  job: Uint16Array.from([0, NO_JOB, NO_JOB, 2, 0, NO_JOB, 1, NO_JOB]), waiting: new Float32Array(8).fill(NaN),
};

describe('steps of a block', () => {
  it('are cut out without a copy', () => {
    const block = { start_ns: 0, step_ns: 1, first: 4, steps: 2, links: 2, low_high: true, measured: [], load: Float32Array.from([1, 2, 3, 4]), high: Float32Array.from([1, 2, 3, 9]), waiting: null, job: Uint16Array.from([0, 0, 1, 2]) };
    const cut = stepOf(block, 5, 9);
    expect([...cut.load, ...(cut.high ?? []), ...cut.job]).toEqual([3, 4, 3, 9, 1, 2]);
    expect([...cut.waiting]).toEqual([NaN, NaN]);
    expect(cut.load.buffer).toBe(block.load.buffer);
  });
  it('know the part of a link’s rate', () => {
    expect(partOfRate(shape, 100, 0)).toBeCloseTo(0.1);
    expect(partOfRate({ ...shape, rates: new Float64Array(8) }, 100, 0)).toBeNull();
  });
});

describe('rows of links', () => {
  const rows = linkRows(shape);
  it('lead up and down again', () => {
    expect(rows.map((row) => [row.title, [...row.links]])).toEqual([['node to switch', [0, 2]], ['leaf to spine', [4, 6]], ['spine to leaf', [5, 7]], ['switch to node', [1, 3]]]);
  });
  it('have the busiest link first', () => {
    expect([...busiestFirst(Int32Array.from([0, 1, 3, 4, 6]), step.load, 400)]).toEqual([3, 0, 4, 6, 1]);
    expect([...busiestFirst(Int32Array.from([0, 1, 2]), Float32Array.from([NaN, 0.1, 0.9]), 1)]).toEqual([2, 1, 0]);
  });
  it('find the cell under a point', () => {
    const layout = layoutRows(rows, 100, 400);
    expect(layout.size).toBe(18);
    expect(cellAt(layout, rows, 20, (layout.tops[1] ?? 0) + 3)).toEqual([1, 1]);
    expect(cellAt(layout, rows, 90, (layout.tops[1] ?? 0) + 3)).toBeNull();
    expect(cellAt(layout, rows, 20, 1)).toBeNull();
  });
});

describe('paint', () => {
  const paints = linkPaints((token) => (({ 'grid-2': [0, 0, 0], unsure: [200, 200, 200], 'load-0': [0, 0, 100] }) as Record<string, [number, number, number]>)[token] ?? [255, 255, 255], jobs.tokens, null);
  it('is darkest on the busiest link', () => {
    const pixels = paintLinks(step, 'traffic', paints, new Uint32Array(8));
    expect(cssOf(pixels[3] ?? 0)).toBe('rgb(0 0 0)');
    expect(cssOf(pixels[1] ?? 0)).toBe('rgb(200 200 200)');
  });
  it('has the colour of the job, and says where nothing is known', () => {
    expect(cssOf(paintLinks({ ...step, load: new Float32Array(8).fill(400) }, 'job', paints, new Uint32Array(8))[0] ?? 0)).toBe('rgb(0 0 100)');
    expect(new Set(paintLinks(step, 'waiting', paints, new Uint32Array(8)))).toEqual(new Set([paints.unknown]));
  });
});

describe('the table', () => {
  it('has the facts of the picture in any order', () => {
    expect(sortedLinks(shape, step, jobs, 'load', false, '', 3)).toEqual({ links: [3, 0, 4], total: 8 });
    expect(sortedLinks(shape, step, jobs, 'load', true, '').links).toEqual([1, 2, 5, 7, 6, 0, 4, 3]);
    expect(sortedLinks(shape, step, jobs, 'link', false, 'spine').links.map((link) => shape.link_names[link])).toEqual(['leaf1 > spine1', 'leaf2 > spine1', 'spine1 > leaf1', 'spine1 > leaf2']);
    expect(sortedLinks(shape, step, jobs, 'job', false, '', 2).links).toEqual([6, 0]);
    expect(linkText(shape, step, jobs, new Set([3]), 3)).toEqual({ link: 3, name: 'leaf2 > node2', load: '400 B/s', part: '40 %', job: 'c', waiting: '', how: 'measured' });
    expect(linkText(shape, step, jobs, new Set(), 6).job).toBe('no known job');
  });
});

describe('words on a link', () => {
  const job = (change: Partial<JobOnLink>): JobOnLink => ({ job: 'a', program: '', bytes: 10, share: 1, modelled: 0, spread: 0, seconds_lost: 0, seconds_cost: 0, values: [10], ...change });
  const on = (change: Partial<OnLink>): OnLink => ({ name: 'l', resource: 'link l', rate: 1024, links: 1, start_ns: 0, step_ns: 1, load: [512], low: [512], high: [512], measured: false, jobs: [], ...change });
  it('say how much, how it is known, and between what', () => {
    expect(carries(on({}), 0)).toBe('carries 512 B/s, 50 % of its 1.00 KiB/s');
    expect(carries(on({ load: [0] }), 0)).toBe('carries nothing at this time');
    expect(howKnown(on({ measured: true }))).toContain('Measured');
    expect(interval(on({}), 0)).toBe('');
    expect(interval(on({ low: [100] }), 0)).toContain('Between 100 B/s and 512 B/s');
    expect(modelled(on({ jobs: [job({ modelled: 0.5 })] }))).toContain('50 % of it is modelled');
    expect(modelled(on({ jobs: [job({ spread: 1 })] }))).toBe('About 100 % of it is divided evenly among the nodes of its jobs: to whom they sent was not recorded.');
  });
  it('name suspects and victims, and what is not assessed', () => {
    expect([job({ seconds_cost: 2 }), job({ seconds_lost: 3 }), job({})].map(roleOf)).toEqual(['suspect', 'victim', 'on it']);
    expect([job({ seconds_cost: 2 }), job({ seconds_lost: 3 })].map(secondsOf)).toEqual(['cost others 2.00 s here', 'lost 3.00 s here']);
    expect(costText(on({ jobs: [job({ seconds_lost: 3 }), job({ seconds_lost: null })] }))).toBe('Together they lost 3.00 s to one another here. 1 job has no verdict yet: open a job to have it assessed.');
    expect(costText(on({ jobs: [job({})] }))).toBe('By their verdicts, nobody lost time here.');
    expect(costText(on({ jobs: [job({ seconds_lost: null })] }))).toBe('None of them has a verdict yet: open a job to have it assessed.');
  });
});

describe('time', () => {
  it('finds the step of an instant', () => { expect([stepAt(5, 0, 2, 10), stepAt(-5, 0, 2, 10), stepAt(99, 0, 2, 10)]).toEqual([2, 0, 9]); });
  it('draws the peaks', () => { expect(peakPath([0, 2])).toBe('M0 1L0 1L0.5 1L0.5 0L1 0L1 1Z'); expect(peakPath([0])).toBe(''); });
  it('zooms about the shown instant, within the whole', () => {
    expect(zoomed([0, 100], 0.5, 50, [0, 100], [1, 99])).toEqual([25, 75]);
    expect(zoomed([80, 100], 2, 100, [0, 100], [1, 99])).toEqual([60, 100]);
    expect(zoomed([80, 100], 2, 100, [0, 100], [1, 30])).toEqual([70, 100]);
    expect(zoomed([0, 4], 0.5, 0, [0, 100], [4, 99])).toEqual([0, 4]);
  });
  it('stacks jobs up to the greatest load', () => { expect(stackPaths([[1, 1], [1, 0]], [4, 1])).toEqual(['M0 0.75L0.5 0.75L0.5 0.75L1 0.75L1 1L0.5 1L0.5 1L0 1Z', 'M0 0.5L0.5 0.5L0.5 0.75L1 0.75L1 0.75L0.5 0.75L0.5 0.75L0 0.75Z']); });
});

describe('zones', () => {
  const block = { start_ns: 0, step_ns: 1, first: 2, steps: 2, modelled: 0, zones: [{ name: 'leaf1', vertices: [2] }, { name: 'leaf2', vertices: [3] }], load: Float32Array.from([0, 0, 0, 0, 0, 9, 1, 0]), job: Uint16Array.from([0, 0, 0, 0, NO_JOB, 2, 1, NO_JOB]) };
  it('are a matrix at each step', () => {
    expect(routers(shape)).toBe(2);
    const at = zoneStep(block, 3);
    expect(greatestOf(at.load)).toBe(9);
    expect([jobOfCell(at, 1, jobs, null), jobOfCell(at, 1, jobs, 'c'), jobOfCell(at, 2, jobs, null), jobOfCell(at, 0, jobs, null)]).toEqual(['mostly c', 'with c', 'mostly no known job', '']);
    const paints = linkPaints(() => [0, 0, 0], jobs.tokens, null);
    const pixels = new Uint32Array(4);
    paintZones({ ...at, load: Float32Array.from([0, 9, 0, 0]) }, 9, false, { ...paints, idle: 7 }, pixels);
    expect([...pixels].filter((pixel) => pixel === 7)).toHaveLength(3);
  });
  it('lead to their busiest links', () => {
    expect(busiestUplink(shape, [2], step.load)).toBe(4);
    expect(busiestUplink(shape, [4], step.load)).toBeNull();
    expect(busiestBetween(shape, [2], [4], step.load)).toBe(4);
    expect(busiestBetween(shape, [2], [3], step.load)).toBe(4);
    expect([readPair('3-17'), readPair(''), readPair('x-1')]).toEqual([[3, 17], null, null]);
  });
});
