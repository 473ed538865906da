/** The text is no JSON object with a list `files`; the message says where. */
export class ScanError extends Error {}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const COLON = 0x3a;
const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** Bytes of one entry or key: a path of 512 characters, all escaped, is 3 KiB. */
const MAX_HELD_BYTES = 16 * 1024;
const LIST_KEY = 'files';

type Place =
  | 'start'
  | 'first-key'
  | 'next-key'
  | 'key'
  | 'colon'
  | 'value'
  | 'skipped'
  | 'word'
  | 'after-value'
  | 'list'
  | 'entry'
  | 'after-entry'
  | 'next-entry'
  | 'end';

/** Where a byte between values leads; what is missing has no place there. */
const NEXT: Readonly<Partial<Record<Place, Readonly<Record<number, Place>>>>> = {
  start: { [OPEN_OBJECT]: 'first-key' },
  'first-key': { [QUOTE]: 'key', [CLOSE_OBJECT]: 'end' },
  'next-key': { [QUOTE]: 'key' },
  colon: { [COLON]: 'value' },
  'after-value': { [COMMA]: 'next-key', [CLOSE_OBJECT]: 'end' },
  list: { [OPEN_OBJECT]: 'entry', [CLOSE_LIST]: 'after-value' },
  'after-entry': { [COMMA]: 'next-entry', [CLOSE_LIST]: 'after-value' },
  'next-entry': { [OPEN_OBJECT]: 'entry' },
};

/**
 * Reads the entries of the list `files` out of a JSON object that arrives in pieces, holding one entry at a time. Entries
 * are parsed as JSON; other members of the object are skipped by their brackets and not looked into.
 */
export class ManifestScanner {
  private place: Place = 'start';
  private depth = 0;
  private inString = false;
  private isEscaped = false;
  /** What earlier pieces hold of the entry or key under way. */
  private held = Buffer.alloc(0);
  private key: unknown = null;
  private hasList = false;
  private count = 0;
  private readonly decoder = new TextDecoder('utf-8', { fatal: true });

  /** @returns the entries that end in this piece @throws ScanError */
  push(piece: Buffer): unknown[] {
    const found: unknown[] = [];
    let start = 0;
    for (let at = 0; at < piece.length; at += 1) {
      const byte = piece[at] as number;
      if (this.place === 'entry' || this.place === 'key') {
        if (this.isClosedBy(byte)) this.finish(piece.subarray(start, at + 1), found);
      } else if (this.place === 'skipped') {
        if (this.isClosedBy(byte)) this.place = 'after-value';
      } else if (this.place === 'word') {
        // A number or word has no end of its own: the byte that ends it is read again.
        if (!isSpace(byte) && byte !== COMMA && byte !== CLOSE_OBJECT) continue;
        this.place = 'after-value';
        at -= 1;
      } else if (!isSpace(byte)) {
        start = at;
        this.step(byte);
      }
    }
    if (this.place === 'entry' || this.place === 'key') this.hold(piece.subarray(start));
    return found;
  }

  /** To be called after the last piece. @throws ScanError when the text ended too early or held no list */
  end(): void {
    if (this.place !== 'end') throw new ScanError('the text ends in the middle');
    if (!this.hasList) throw new ScanError('it has no list "files"');
  }

  private step(byte: number): void {
    const next = this.place === 'value' ? this.valueOf(byte) : (NEXT[this.place]?.[byte] ?? null);
    if (next === null)
      throw new ScanError(
        this.place === 'start'
          ? 'it is not a JSON object'
          : this.place === 'end'
            ? 'text follows its end'
            : this.misplaced(),
      );
    this.place = next;
    if (next === 'entry' || next === 'key' || next === 'skipped') {
      this.depth = 0;
      this.isClosedBy(byte);
    }
  }

  private misplaced(): string {
    return /entry|list/.test(this.place)
      ? `entry ${this.count} of "files" is not an object, or a comma is missing`
      : 'it is not valid JSON';
  }

  private valueOf(byte: number): Place {
    if (this.key === LIST_KEY) {
      if (this.hasList) throw new ScanError('it has the list "files" twice');
      if (byte !== OPEN_LIST) throw new ScanError('"files" is not a list');
      this.hasList = true;
      return 'list';
    }
    if (byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_LIST)
      throw new ScanError('it is not valid JSON');
    return byte === QUOTE || byte === OPEN_OBJECT || byte === OPEN_LIST ? 'skipped' : 'word';
  }

  /** Follows the value under way; true with its last byte. */
  private isClosedBy(byte: number): boolean {
    if (this.inString) {
      if (this.isEscaped) this.isEscaped = false;
      else if (byte === BACKSLASH) this.isEscaped = true;
      else if (byte === QUOTE) {
        this.inString = false;
        return this.depth === 0;
      }
      return false;
    }
    if (byte === QUOTE) this.inString = true;
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) this.depth += 1;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) this.depth -= 1;
    return this.depth === 0 && !this.inString;
  }

  private hold(part: Buffer): void {
    if (this.held.length + part.length > MAX_HELD_BYTES)
      throw new ScanError(`entry ${this.count} of "files" is longer than ${MAX_HELD_BYTES} bytes`);
    this.held = Buffer.concat([this.held, part]);
  }

  private finish(part: Buffer, found: unknown[]): void {
    this.hold(part);
    const text = this.held;
    this.held = Buffer.alloc(0);
    if (this.place === 'key') {
      this.key = this.parse(text, 'it is not valid JSON');
      this.place = 'colon';
      return;
    }
    found.push(this.parse(text, `entry ${this.count} of "files" is not valid JSON`));
    this.count += 1;
    this.place = 'after-entry';
  }

  private parse(text: Buffer, problem: string): unknown {
    try {
      return JSON.parse(this.decoder.decode(text));
    } catch {
      throw new ScanError(problem);
    }
  }
}
