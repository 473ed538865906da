import { isWhole, NEXT_STATE, NONE, START, TEXT_END } from './json-tokens.js';

/** Why a JSON file cannot be read; the message is for people. */
export class JsonRefusal extends Error {}

const [QUOTE, COMMA, COLON] = [0x22, 0x2c, 0x3a];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [0x7b, 0x7d, 0x5b, 0x5d];
const MAX_DEPTH = 20;
/** Of lists of other tools, which are walked over alone. */
const MAX_LIST_DEPTH = 10_000;
const MAX_ELEMENT_BYTES = 8 * 1024 * 1024;
/** Three bytes of text are an object of some sixty in memory; numbers cost no more than their text. */
const MAX_ELEMENT_PARTS = 100_000;
const MAX_KEY_BYTES = 1000;

/** What NaN and Infinity begin with, which some programs write, and nothing that JSON has. */
const NO_NUMBERS = new Set([0x4e, 0x49]);

/** @param byte where a value was read */
const invalid = (byte?: number) =>
  new JsonRefusal(
    `it is not valid JSON${byte !== undefined && NO_NUMBERS.has(byte) ? ': NaN and Infinity are no numbers of JSON' : ''}`,
  );
const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
const isByteOrderMark = (byte: number): boolean => byte === 0xef || byte === 0xbb || byte === 0xbf;

/**
 * Takes a JSON object apart while its bytes arrive: hands over each element of the arrays below its root, with the
 * array's key, and holds no more than one of them. What is not handed over must be JSON too. Depth and size of an
 * element are bounded. `end` says whether the object was whole.
 */
export class JsonElements {
  private readonly brackets: number[] = [];
  /** What may stand next; `first...` also allows the closing bracket. */
  private phase: 'start' | 'firstKey' | 'key' | 'colon' | 'firstValue' | 'value' | 'after' | 'done' = 'start';
  /** State within a text, a number or a word. */
  private token = NONE;
  private key = '';
  /** True inside an array whose elements are handed over. */
  private isWanted = false;
  /** Where the element or key being read begins in this chunk; -1 outside of one. */
  private from = -1;
  /** Pieces of it from earlier chunks, and their bytes. */
  private readonly pieces: Uint8Array[] = [];
  private held = 0;
  /** Lists and objects within it so far. */
  private parts = 0;
  private readonly decoder = new TextDecoder('utf-8', { fatal: true });

  /**
   * @param wanted keys of arrays whose elements are handed over; what stands under other keys is only walked over
   * @param take gets each element, parsed
   * @param mayBeList takes a JSON array too, of which nothing is handed over
   */
  constructor(
    private readonly wanted: ReadonlySet<string>,
    private readonly take: (key: string, element: unknown) => void,
    private readonly mayBeList = false,
  ) {}

  /** Keys of the root whose values are arrays. */
  readonly arrays = new Set<string>();
  /** The root turned out to be an array, which is refused. */
  isList = false;

  /** @throws JsonRefusal */
  push(chunk: Uint8Array): void {
    this.from = this.held > 0 ? 0 : -1;
    let { token } = this;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] as number;
      if (token !== NONE) {
        const next = NEXT_STATE[(token << 8) | byte] as number;
        if (next > TEXT_END) {
          token = next;
          continue;
        }
        // A text ends with its own last byte, a number or a word with whatever follows it.
        if (next === NONE && !isWhole(token)) throw invalid(byte);
        token = NONE;
        if (next === TEXT_END) {
          this.endText(chunk, at + 1);
          continue;
        }
        this.endValue(chunk, at);
      }
      if (!isSpace(byte)) token = this.begin(byte, chunk, at);
    }
    this.token = token;
    if (this.from >= 0) this.hold(chunk.subarray(this.from));
  }

  /** @throws JsonRefusal when the object is cut short */
  end(): void {
    if (this.phase !== 'done') throw new JsonRefusal('it is not valid JSON (it ends too early)');
  }

  /** @returns the state of the token that begins here, or NONE */
  private begin(byte: number, chunk: Uint8Array, at: number): number {
    switch (byte) {
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        this.open(byte, at);
        return NONE;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        this.close(byte, chunk, at);
        return NONE;
      case COMMA:
        if (this.phase !== 'after') throw invalid();
        this.phase = this.brackets.at(-1) === OPEN_OBJECT ? 'key' : 'value';
        return NONE;
      case COLON:
        if (this.phase !== 'colon') throw invalid();
        this.phase = 'value';
        return NONE;
      default:
        return this.beginToken(byte, at);
    }
  }

  private beginToken(byte: number, at: number): number {
    if (this.phase === 'start' && isByteOrderMark(byte)) return NONE;
    const token = NEXT_STATE[(START << 8) | byte] as number;
    if (token === NONE) throw invalid(byte);
    if (!this.isAtKey()) this.beginValue(at);
    else if (byte !== QUOTE) throw invalid();
    else if (this.brackets.length === 1) this.from = at;
    return token;
  }

  private beginValue(at: number): void {
    if (this.phase !== 'value' && this.phase !== 'firstValue') throw invalid();
    if (this.isWanted && this.brackets.length === 2) this.from = at;
  }

  private endText(chunk: Uint8Array, to: number): void {
    if (!this.isAtKey()) return this.endValue(chunk, to);
    if (this.brackets.length === 1)
      this.key = this.parse(chunk.subarray(Math.max(this.from, 0), to)) as string;
    this.phase = 'colon';
  }

  private endValue(chunk: Uint8Array, to: number): void {
    this.phase = 'after';
    if (this.isWanted && this.brackets.length === 2)
      this.take(this.key, this.parse(chunk.subarray(Math.max(this.from, 0), to)));
  }

  private isAtKey(): boolean {
    return this.phase === 'firstKey' || this.phase === 'key';
  }

  private open(byte: number, at: number): void {
    const depth = this.brackets.length;
    if (depth > 0) this.beginValue(at);
    else if (this.phase !== 'start' || (byte !== OPEN_OBJECT && !this.mayBeList)) {
      this.isList = this.phase === 'start';
      throw new JsonRefusal('it is not a JSON object');
    }
    if (depth === 1) this.isWanted = byte === OPEN_ARRAY && this.wanted.has(this.key);
    if (depth === 1 && byte === OPEN_ARRAY) this.arrays.add(this.key.slice(0, 100));
    if (this.arrays.size > 1000) throw new JsonRefusal('it has more than 1000 lists');
    if (depth === 2) this.parts = 0;
    else if (depth > 2) this.parts += 1;
    if (this.isWanted && this.parts > MAX_ELEMENT_PARTS)
      throw new JsonRefusal(`an element of its JSON holds more than ${MAX_ELEMENT_PARTS} lists and objects`);
    const most = this.mayBeList ? MAX_LIST_DEPTH : MAX_DEPTH;
    if (depth === most) throw new JsonRefusal(`it is nested deeper than ${most} levels`);
    this.brackets.push(byte);
    this.phase = byte === OPEN_OBJECT ? 'firstKey' : 'firstValue';
  }

  private close(byte: number, chunk: Uint8Array, at: number): void {
    const mayClose = this.phase === 'after' || this.phase === 'firstKey' || this.phase === 'firstValue';
    // `{` and `}` lie two apart, as do `[` and `]`.
    if (!mayClose || this.brackets.pop() !== byte - 2) throw invalid();
    if (this.brackets.length === 0) this.phase = 'done';
    else this.endValue(chunk, at + 1);
  }

  private hold(piece: Uint8Array): void {
    this.held += piece.length;
    this.checkSize();
    // The chunk's memory may be used again by whoever brought it.
    this.pieces.push(piece.slice());
  }

  /** The element or key that ends with these bytes. */
  private parse(last: Uint8Array): unknown {
    this.held += last.length;
    this.checkSize();
    const whole = this.pieces.length === 0 ? last : joined(this.pieces, last);
    this.pieces.length = 0;
    this.held = 0;
    this.from = -1;
    try {
      return JSON.parse(this.decoder.decode(whole));
    } catch {
      throw invalid();
    }
  }

  private checkSize(): void {
    const isKey = this.brackets.length === 1;
    if (isKey && this.held > MAX_KEY_BYTES) throw new JsonRefusal('a name in its JSON is too long');
    if (this.held > MAX_ELEMENT_BYTES)
      throw new JsonRefusal(`an element of its JSON is larger than ${MAX_ELEMENT_BYTES} bytes`);
  }
}

function joined(pieces: readonly Uint8Array[], last: Uint8Array): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, last.length));
  let at = 0;
  for (const piece of [...pieces, last]) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
