/** Decodes a part of an address; returns it unchanged if it is not validly encoded. */
export function decodePathPart(part: string): string {
  try { return decodeURIComponent(part); } catch { return part; }
}
