import { expect, test } from 'vitest';
import { TALL, WIDE, axisText, dayChart } from './day-chart';

const day = (at: string, value: number, low = -5, high = 5) => ({ day: at, value, low, high, worse: value > 5 });

test('days lie by their date, values between the least and the largest', () => {
  const course = [day('2026-11-01', 0), day('2026-11-02', 20), day('2026-11-05', 40)];
  const chart = dayChart(course);
  expect(course.map((each) => chart.x(each))).toEqual([0, WIDE / 4, WIDE]);
  expect([chart.y(40), chart.y(-5)]).toEqual([0, TALL]);
  expect(chart.line.split('L')).toHaveLength(3);
  expect(chart.band.endsWith('Z')).toBe(true);
});

test('a single day and equal values have a place', () => {
  const chart = dayChart([day('2026-11-01', 0, 0, 0)]);
  expect(chart.line).toBe(`M${WIDE / 2}.0 ${TALL}.0`);
});

test('rates are small numbers, differences percent', () => {
  expect(axisText(0.000002, 'packet')).toBe('2e-6');
  expect(axisText(0, 'packet')).toBe('0');
  expect(axisText(-20, '')).toBe('−20 %');
  expect(axisText(25, '')).toBe('+25 %');
});
