// Exports views: numbers as CSV, parts of the page as SVG and PNG.
import { colour } from '../shell/theme.svelte';
import { boxOf, unzoomed } from '../shell/viewport.svelte';

export interface Sheet { columns: string[]; rows: (string | number | null | undefined)[][] }

/** For canvases that can draw themselves as SVG elements, from their upper left corner; other canvases are exported as pixels. */
export const svgDrawers = new WeakMap<HTMLCanvasElement, () => string>();

/** Spreadsheets take a cell that begins with one of these for a formula. */
const FORMULA = /^[=+\-@\t\r]/;

export function toCsv(sheet: Sheet): string {
  const cell = (value: string | number | null | undefined): string => {
    if (value === null || value === undefined || Number.isNaN(value)) return '';
    if (typeof value === 'number') return String(value);
    const safe = FORMULA.test(value) ? `'${value}` : value;
    return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  return [sheet.columns, ...sheet.rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

export const escapeXml = (text: string) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
const n = (value: number) => String(Math.round(value * 100) / 100);

/** Returns a file name without characters that are special to shells or file systems. */
export const fileName = (name: string, kind: string) => `${name.replace(/[^\w.-]+/g, '-')}.${kind}`;

const HEAD = 34;
const EDGE = 12;
const STYLES = ['fill', 'stroke', 'stroke-width', 'stroke-dasharray', 'stroke-linecap', 'stroke-linejoin', 'opacity', 'fill-opacity', 'stroke-opacity', 'font-size', 'font-weight', 'font-family', 'text-anchor', 'dominant-baseline', 'paint-order', 'vector-effect', 'shape-rendering'];

/** Draws a part of the page as one SVG document. Elements with data-export="no" are left out. */
export function toSvg(host: HTMLElement, title: string): string {
  const box = boxOf(host);
  const parts: string[] = [];
  walk(host, parts);
  const [width, height] = [box.width + 2 * EDGE, box.height + HEAD + 2 * EDGE];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${n(width)}" height="${n(height)}" viewBox="0 0 ${n(width)} ${n(height)}">`
    + `<rect width="100%" height="100%" fill="${colour('card')}"/>`
    + `<text x="${EDGE}" y="${EDGE + 15}" font-family="Inter, system-ui, sans-serif" font-size="15" font-weight="600" fill="${colour('ink')}">${escapeXml(title)}</text>`
    + `<g transform="translate(${n(EDGE - box.left)} ${n(HEAD + EDGE - box.top)})">${parts.join('')}</g></svg>`;
}

function walk(element: Element, parts: string[]) {
  if (element instanceof HTMLElement && (element.dataset['export'] === 'no' || element.classList.contains('hidden-but-read'))) return;
  const style = getComputedStyle(element);
  const box = boxOf(element);
  if (style.display === 'none' || style.visibility === 'hidden' || style.opacity === '0') return;
  if (element instanceof HTMLCanvasElement) { parts.push(drawCanvas(element, box)); return; }
  if (element instanceof SVGSVGElement) { parts.push(drawSvg(element, box)); return; }
  const clips = style.overflowX !== 'visible' && (element.scrollWidth > element.clientWidth + 1 || element.scrollHeight > element.clientHeight + 1);
  if (clips) parts.push(`<svg x="${n(box.left)}" y="${n(box.top)}" width="${n(box.width)}" height="${n(box.height)}" viewBox="${n(box.left)} ${n(box.top)} ${n(box.width)} ${n(box.height)}">`);
  drawBox(style, box, parts);
  for (const child of element.childNodes) {
    if (child instanceof Text) drawText(child, style, parts);
    else if (child instanceof Element) walk(child, parts);
  }
  if (clips) parts.push('</svg>');
}

/** Whether a CSS colour is not fully transparent. Only a fourth component is alpha; the third is blue. */
export const isVisible = (paint: string) => paint !== 'transparent' && !/^rgba\(.*, 0\)$|\/ 0\)$/.test(paint);

/** Appends the background and the borders of a box. */
function drawBox(style: CSSStyleDeclaration, box: DOMRect, parts: string[]) {
  if (!box.width || !box.height) return;
  const round = Math.min(parseFloat(style.borderTopLeftRadius) || 0, box.height / 2);
  const faint = style.opacity === '1' ? '' : ` opacity="${style.opacity}"`;
  if (isVisible(style.backgroundColor)) parts.push(`<rect x="${n(box.left)}" y="${n(box.top)}" width="${n(box.width)}" height="${n(box.height)}" rx="${n(round)}" fill="${style.backgroundColor}"${faint}/>`);
  const rule = (width: string, paint: string, d: string) => {
    const thick = parseFloat(width);
    if (thick && isVisible(paint)) parts.push(`<path d="${d}" fill="none" stroke="${paint}" stroke-width="${n(thick)}"/>`);
  };
  rule(style.borderTopWidth, style.borderTopColor, `M${n(box.left)} ${n(box.top)}H${n(box.right)}`);
  rule(style.borderBottomWidth, style.borderBottomColor, `M${n(box.left)} ${n(box.bottom)}H${n(box.right)}`);
  rule(style.borderLeftWidth, style.borderLeftColor, `M${n(box.left)} ${n(box.top)}V${n(box.bottom)}`);
  rule(style.borderRightWidth, style.borderRightColor, `M${n(box.right)} ${n(box.top)}V${n(box.bottom)}`);
}

/** Appends a text as it is broken into lines on the page. */
function drawText(node: Text, style: CSSStyleDeclaration, parts: string[]) {
  if (!node.data.trim()) return;
  const range = document.createRange();
  const lines: { box: DOMRect; text: string }[] = [];
  for (const word of node.data.matchAll(/\S+\s*/g)) {
    range.setStart(node, word.index);
    range.setEnd(node, word.index + word[0].length);
    const first = range.getClientRects()[0];
    if (!first?.width) continue;
    const box = unzoomed(first);
    const last = lines.at(-1);
    if (last && Math.abs(last.box.top - box.top) < 2) last.text += word[0];
    else lines.push({ box, text: word[0] });
  }
  const figures = style.fontVariantNumeric === 'normal' ? '' : ` style="font-variant-numeric:${style.fontVariantNumeric}"`;
  for (const { box, text } of lines) {
    parts.push(`<text x="${n(box.left)}" y="${n(box.top + box.height * 0.8)}" font-family="${escapeXml(style.fontFamily)}" font-size="${style.fontSize}" font-weight="${style.fontWeight}" fill="${style.color}"${figures}>${escapeXml(text.replace(/\s+/g, ' ').trimEnd())}</text>`);
  }
}

function drawCanvas(element: HTMLCanvasElement, box: DOMRect): string {
  const drawn = svgDrawers.get(element);
  if (drawn) return `<g transform="translate(${n(box.left)} ${n(box.top)})">${drawn()}</g>`;
  if (!element.width || !element.height) return '';
  return `<image x="${n(box.left)}" y="${n(box.top)}" width="${n(box.width)}" height="${n(box.height)}" preserveAspectRatio="none" image-rendering="pixelated" href="${element.toDataURL()}"/>`;
}

/** Returns an SVG of the page with its styles as attributes, because the style sheet is not exported. */
function drawSvg(element: SVGSVGElement, box: DOMRect): string {
  const copy = element.cloneNode(true) as SVGSVGElement;
  const originals = [element, ...element.querySelectorAll('*')];
  [copy, ...copy.querySelectorAll('*')].forEach((element, at) => {
    const original = originals[at];
    if (!original) return;
    const style = getComputedStyle(original);
    for (const name of STYLES) {
      const value = style.getPropertyValue(name);
      if (value) element.setAttribute(name, value);
    }
    element.removeAttribute('class');
    element.removeAttribute('style');
  });
  for (const [name, value] of Object.entries({ x: box.left, y: box.top, width: box.width, height: box.height })) copy.setAttribute(name, n(value));
  return new XMLSerializer().serializeToString(copy);
}

/** Returns the font of the page as a style element: an exported picture has no access to the style sheet. */
async function font(): Promise<string> {
  const face = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]).find((rule) => rule instanceof CSSFontFaceRule);
  const address = face && /url\(["']?([^"')]+)/.exec(face.cssText)?.[1];
  if (!address) return '';
  const body = await (await fetch(new URL(address, [...document.styleSheets][0]?.href ?? location.href))).blob();
  const data = await new Promise<string>((done) => {
    const reader = new FileReader();
    reader.onload = () => done(String(reader.result));
    reader.readAsDataURL(body);
  });
  return `<style>@font-face{font-family:Inter;font-weight:100 900;src:url(${data})}</style>`;
}

/** Draws an SVG text as PNG, two dots per pixel. */
export async function toPng(drawing: string, scale = 2): Promise<Blob> {
  const style = await font();
  const image = new Image();
  const address = URL.createObjectURL(new Blob([drawing.replace('>', `>${style}`)], { type: 'image/svg+xml' }));
  try {
    image.src = address;
    await image.decode();
    const drawn = document.createElement('canvas');
    [drawn.width, drawn.height] = [Math.round(image.width * scale), Math.round(image.height * scale)];
    drawn.getContext('2d')?.drawImage(image, 0, 0, drawn.width, drawn.height);
    return await new Promise<Blob>((done, failed) => { drawn.toBlob((blob) => { if (blob) done(blob); else failed(new Error('The picture is too large.')); }); });
  } finally {
    URL.revokeObjectURL(address);
  }
}

/** Hands a file to the browser. */
export function saveFile(name: string, body: Blob) {
  const link = document.createElement('a');
  link.download = name;
  link.href = URL.createObjectURL(body);
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
