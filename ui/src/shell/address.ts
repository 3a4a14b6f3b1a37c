/** The text behind a part of an address; an address that means nothing stands for itself. */
export function decodePathPart(part: string): string {
  try { return decodeURIComponent(part); } catch { return part; }
}
