// Places days and values of a difference in a chart; x and y are in its own units. Pure.
import type { DayOfPeers } from '../../api/api-types';
import { digits, points } from '../../format/format';

export const WIDE = 600;
export const TALL = 120;
const DAY_MS = 86_400_000;

export interface DayChart {
  x: (day: DayOfPeers) => number;
  y: (value: number) => number;
  low: number;
  high: number;
  /** The peers' band as a path; days that follow one another are joined. */
  band: string;
  line: string;
}

const number = (day: DayOfPeers) => Date.parse(day.day) / DAY_MS;

/** Lays out the days of a difference; there is at least one. */
export function dayChart(course: readonly DayOfPeers[]): DayChart {
  const first = number(course[0] as DayOfPeers);
  const last = number(course.at(-1) as DayOfPeers);
  const values = course.flatMap((day) => [day.value, day.low, day.high]);
  const [least, most] = [Math.min(0, ...values), Math.max(0, ...values)];
  const room = most - least || 1;
  const x = (day: DayOfPeers) => (last > first ? (WIDE * (number(day) - first)) / (last - first) : WIDE / 2);
  const y = (value: number) => TALL - (TALL * (value - least)) / room;
  const to = (day: DayOfPeers, value: number) => `${x(day).toFixed(1)} ${y(value).toFixed(1)}`;
  const there = course.map((day) => to(day, day.high)).join('L');
  const back = [...course].reverse().map((day) => to(day, day.low)).join('L');
  return { x, y, low: least, high: most, band: `M${there}L${back}Z`, line: `M${course.map((day) => to(day, day.value)).join('L')}` };
}

/** Returns a value of the axis as text: a rate, or percent. */
export function axisText(value: number, unit: string): string {
  if (unit && value === 0) return '0';
  if (unit) return value >= 0.01 ? digits(value) : value.toExponential(0);
  return `${value > 0 ? '+' : value < 0 ? '−' : ''}${points(Math.abs(value))} %`;
}
