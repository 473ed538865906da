/** True where these bytes hold this text of Latin-1 at this place. */
export const holdsAt = (bytes: Uint8Array, from: number, text: string): boolean => {
  if (bytes.length < from + text.length) return false;
  for (let i = 0; i < text.length; i += 1) if (bytes[from + i] !== text.charCodeAt(i)) return false;
  return true;
};

/** Where JPEG 2000 and JPEG XL begin as boxes: ISO/IEC 15444-1, annex I.5.1, and ISO/IEC 18181-2. */
const BOX = '\u0000\u0000\u0000\u000c';

/** Signatures at their places, by media type. DICOM's is behind its preamble (PS3.10, 7.1). */
const SIGNATURES: ReadonlyArray<readonly [mediaType: string, at: number, text: string]> = [
  ['image/png', 0, '\u0089PNG\r\n\u001a\n'],
  ['image/jpeg', 0, '\u00ff\u00d8\u00ff'],
  ['image/gif', 0, 'GIF87a'],
  ['image/gif', 0, 'GIF89a'],
  ['image/tiff', 0, 'II*\u0000'],
  ['image/tiff', 0, 'MM\u0000*'],
  ['image/jp2', 0, `${BOX}jP  `],
  ['image/j2c', 0, '\u00ff\u004f\u00ff\u0051'],
  ['image/jxl', 0, `${BOX}JXL `],
  ['image/jxl', 0, '\u00ff\n'],
  ['image/vnd.adobe.photoshop', 0, '8BPS\u0000'],
  ['application/dicom', 128, 'DICM'],
];

/** Known, and not decoded. */
const UNDECODED: ReadonlyMap<string, string> = new Map([
  ['image/bmp', 'BMP'],
  ['image/jp2', 'JPEG 2000'],
  ['image/j2c', 'JPEG 2000'],
  ['image/jxl', 'JPEG XL'],
  ['image/vnd.adobe.photoshop', 'Photoshop (PSD)'],
  ['application/dicom', 'DICOM'],
]);

/** The media type of an image by its first bytes; null for what is none. */
export function imageTypeOf(head: Uint8Array): string | null {
  if (holdsAt(head, 0, 'RIFF') && holdsAt(head, 8, 'WEBP')) return 'image/webp';
  if (holdsAt(head, 0, 'BM') && head.length >= 26 && head[6] === 0 && head[7] === 0) return 'image/bmp';
  if (holdsAt(head, 4, 'ftyp')) return isoMedia(head);
  return SIGNATURES.find(([, at, text]) => holdsAt(head, at, text))?.[0] ?? null;
}

/** Why an image of this type cannot be used; null where it may be decoded. */
export function undecodedReason(head: Uint8Array): string | null {
  const name = UNDECODED.get(imageTypeOf(head) ?? '');
  return name === undefined ? null : `${name} is not decoded; convert it to PNG or JPEG`;
}

/** Major brands of ISO/IEC 23008-12. */
const HEIF_BRANDS = ['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'hevm', 'hevs', 'mif1', 'msf1'] as const;

function isoMedia(head: Uint8Array): string | null {
  if (holdsAt(head, 8, 'avif') || holdsAt(head, 8, 'avis')) return 'image/avif';
  return HEIF_BRANDS.some((brand) => holdsAt(head, 8, brand)) ? 'image/heif' : null;
}
