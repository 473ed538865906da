import { isUtf8 } from 'node:buffer';

/** Half of a surrogate pair: no bytes of UTF-8 stand for it, and nothing that stores or looks up a text takes it. */
const NOT_UTF8 = '\udfff';

/**
 * The text that a piece of an address or of a form stands for, percent escapes and bytes sent as they are.
 * @param piece each byte a character; a malformed escape stands for itself
 * @returns ends in half of a surrogate pair where the bytes are no UTF-8
 */
export function urlText(piece: string): string {
  const bytes = Buffer.from(
    piece.replace(/%([0-9a-f]{2})/gi, (_escape, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    ),
    'latin1',
  );
  return isUtf8(bytes) ? bytes.toString() : `${bytes.toString()}${NOT_UTF8}`;
}
