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
