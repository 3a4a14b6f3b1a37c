// @vitest-environment node
import { describe, expect, it, vi } from 'vitest';

vi.mock('../shell/theme.svelte', () => ({ colour: (token: string) => token }));
vi.mock('../shell/viewport.svelte', () => ({}));
const { toCsv, escapeXml, fileName, isVisible } = await import('./export');

describe('csv', () => {
  it('quotes what would break a row, and leaves unknown values empty', () => {
    expect(toCsv({ columns: ['job', 'bytes/s'], rows: [['a,"b"', 1.5], ['c', null], ['d', NaN]] })).toBe('job,bytes/s\r\n"a,""b""",1.5\r\nc,\r\nd,\r\n');
  });
  it('lets no name become a formula', () => {
    expect(toCsv({ columns: ['job'], rows: [['=1+1'], [-2]] })).toBe("job\r\n'=1+1\r\n-2\r\n");
  });
});

describe('names', () => {
  it('keeps a file in its folder', () => { expect(fileName('../a b/c', 'csv')).toBe('..-a-b-c.csv'); });
  it('escapes what is markup', () => { expect(escapeXml('<a & "b">')).toBe('&#60;a &#38; &#34;b&#34;&#62;'); });
});

describe('colours', () => {
  it('distinguishes transparent colours from those without blue', () => {
    expect(isVisible('rgb(213, 94, 0)')).toBe(true);
    expect(isVisible('rgba(213, 94, 0, 0.5)')).toBe(true);
    for (const clear of ['transparent', 'rgba(0, 0, 0, 0)', 'color(srgb 0 0 0 / 0)']) expect(isVisible(clear)).toBe(false);
  });
});
