/** A text file's head as text. */
export interface TableText {
  readonly text: string;
  readonly encoding: 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';
}

/**
 * UTF-8, UTF-16 by its byte order mark, otherwise Windows-1252, in which every byte means something. A mark is no part
 * of the text, and a character cut at the end does not count.
 */
export function decodeTable(head: Uint8Array): TableText {
  if (head[0] === 0xff && head[1] === 0xfe)
    return { text: decoded(head.subarray(2), 'utf-16le'), encoding: 'utf-16le' };
  if (head[0] === 0xfe && head[1] === 0xff)
    return { text: decoded(head.subarray(2), 'utf-16be'), encoding: 'utf-16be' };
  try {
    return {
      text: new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true }),
      encoding: 'utf-8',
    };
  } catch {
    return { text: new TextDecoder('windows-1252').decode(head), encoding: 'windows-1252' };
  }
}

const decoded = (bytes: Uint8Array, encoding: 'utf-16le' | 'utf-16be'): string =>
  new TextDecoder(encoding).decode(bytes, { stream: true });
