/**
 * Size of a picture as it is shown. The record has the size as stored, which the camera may have meant to be turned; the
 * browser shows it upright.
 * @param shown natural size of the picture in the browser; null before it is there
 */
export function uprightSize(
  stored: { readonly width: number | null; readonly height: number | null },
  shown: { readonly width: number; readonly height: number } | null,
): { width: number; height: number } | null {
  const { width, height } = stored;
  if (width === null || height === null) return shown;
  if (shown === null || shown.width === 0 || shown.height === 0) return { width, height };
  const isTurned = Math.sign(width - height) * Math.sign(shown.width - shown.height) < 0;
  return isTurned ? { width: height, height: width } : { width, height };
}

/** Okabe and Ito's colours, which people with any sight can distinguish. */
const COLOURS = [
  '#e69f00',
  '#56b4e9',
  '#009e73',
  '#f0e442',
  '#0072b2',
  '#d55e00',
  '#cc79a7',
  '#ffffff',
] as const;

/** The same class has the same colour on every picture. */
export function colourOf(label: string | null, classes: readonly string[]): string {
  const at = label === null ? -1 : classes.indexOf(label);
  const place = at >= 0 ? at : hashOf(label ?? '');
  return COLOURS[place % COLOURS.length] as string;
}

function hashOf(text: string): number {
  let hash = 7;
  for (let at = 0; at < text.length; at++) hash = (hash * 31 + text.charCodeAt(at)) >>> 0;
  return hash;
}
