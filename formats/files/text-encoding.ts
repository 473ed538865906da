/** How many leading bytes an XML declaration takes at most. */
const DECLARATION_BYTES = 512;

export interface DecodedText {
  readonly text: string;
  /** As `TextDecoder` calls it. */
  readonly encoding: string;
  /** False where no mark, no declaration and no valid UTF-8 shows the encoding: then it is taken for windows-1252. */
  readonly isCertain: boolean;
}

/**
 * Text by its byte order mark, the encoding that its XML declares, as UTF-8, or else as windows-1252; null for bytes
 * that are no text in any of them. UTF-16 is known by its mark alone.
 * @param isHead true where the bytes may end within a character
 */
export function decodeText(bytes: Uint8Array, isHead: boolean): DecodedText | null {
  const marked = markedEncoding(bytes);
  if (marked !== null)
    return {
      text: new TextDecoder(marked).decode(bytes, { stream: isHead }),
      encoding: marked,
      isCertain: true,
    };
  if (bytes.includes(0)) return null;
  const declared = declaredEncoding(bytes);
  // What declares UTF-16 without its mark and without a NUL is text that was stored otherwise after it was written.
  const known =
    (declared !== null && !declared.startsWith('utf-16') && decodedAs(declared, bytes, isHead)) ||
    decodedAs('utf-8', bytes, isHead);
  if (known !== null) return known;
  const hasControls = bytes.some((byte) => byte < 9 || (byte > 13 && byte < 32));
  return hasControls
    ? null
    : { text: new TextDecoder('windows-1252').decode(bytes), encoding: 'windows-1252', isCertain: false };
}

function markedEncoding(bytes: Uint8Array): string | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : null;
}

/** The encoding that an XML declaration names, where it is a known one. */
function declaredEncoding(bytes: Uint8Array): string | null {
  const start = Buffer.from(bytes.subarray(0, DECLARATION_BYTES)).toString('latin1').trimStart();
  const label = /^<\?xml\s[^>]{0,400}?\bencoding\s{0,20}=\s{0,20}["']([\w.:-]{1,40})["']/.exec(start)?.[1];
  if (label === undefined) return null;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return null;
  }
}

function decodedAs(encoding: string, bytes: Uint8Array, isHead: boolean): DecodedText | null {
  try {
    return {
      text: new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: isHead }),
      encoding,
      isCertain: true,
    };
  } catch {
    return null;
  }
}
