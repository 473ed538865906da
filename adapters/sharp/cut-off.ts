import { holdsAt } from '../../formats/images/image-type.js';

const PNG_SIGNATURE_BYTES = 8;
/** Length, type and checksum around the data of a PNG chunk. */
const PNG_CHUNK_FRAME_BYTES = 12;
const RIFF_HEADER_BYTES = 8;
const BOX_HEADER_BYTES = 8;

/**
 * Whether an image that cannot be decoded ends before the end that it states itself, or that its decoder waited for:
 * what the decoders of some formats say of such a file does not distinguish it from a damaged one.
 * @param message of the decoder, which gives no code: libvips ends JPEG and GIF with these words
 */
export function isCutOff(bytes: Buffer, message: string): boolean {
  if (holdsAt(bytes, 1, 'PNG')) return !endsByChunk(bytes);
  if (holdsAt(bytes, 0, 'RIFF'))
    return bytes.length < RIFF_HEADER_BYTES || bytes.readUInt32LE(4) + RIFF_HEADER_BYTES > bytes.length;
  if (holdsAt(bytes, 4, 'ftyp')) return endOfBoxes(bytes) > bytes.length;
  return /premature end|unexpected end/i.test(message);
}

/** Whether a PNG comes to its last chunk. */
function endsByChunk(bytes: Buffer): boolean {
  for (let at = PNG_SIGNATURE_BYTES; at + PNG_CHUNK_FRAME_BYTES <= bytes.length; ) {
    if (holdsAt(bytes, at + 4, 'IEND')) return true;
    at += PNG_CHUNK_FRAME_BYTES + bytes.readUInt32BE(at);
  }
  return false;
}

/** Where the last box of an ISO file ends. One of size 0 reaches to the end; sizes of 64 bits are of no image that is read here. */
function endOfBoxes(bytes: Buffer): number {
  let at = 0;
  while (at + BOX_HEADER_BYTES <= bytes.length) {
    const size = bytes.readUInt32BE(at);
    if (size < BOX_HEADER_BYTES) return bytes.length;
    at += size;
  }
  return at;
}
