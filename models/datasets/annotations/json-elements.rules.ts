/** Why a JSON file cannot be read; the message is for people. */
export class JsonRefusal extends Error {}

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [0x7b, 0x7d, 0x5b, 0x5d];
const MAX_DEPTH = 20;
const MAX_ELEMENT_BYTES = 8 * 1024 * 1024;
const MAX_KEY_BYTES = 1000;

/**
 * Takes a JSON object apart while its bytes arrive: hands over each element of the arrays below its root, with the
 * array's key, and holds no more than one of them. Depth and size of an element are bounded. `end` says whether the
 * object was whole.
 */
export class JsonElements {
  private depth = 0;
  private isInString = false;
  private isEscaped = false;
  private key = '';
  /** Bytes of the element or key being read; its pieces from earlier chunks. */
  private readonly pieces: Uint8Array[] = [];
  private held = 0;
  private phase: 'start' | 'key' | 'colon' | 'value' | 'after' | 'done' = 'start';
  private isArray = false;
  private readonly brackets: number[] = [];
  private readonly decoder = new TextDecoder('utf-8', { fatal: true });

  /**
   * @param wanted keys of arrays whose elements are handed over; what stands under other keys is only walked over
   * @param take gets each element, parsed
   */
  constructor(
    private readonly wanted: ReadonlySet<string>,
    private readonly take: (key: string, element: unknown) => void,
  ) {}

  /** Keys of the root whose values are arrays. */
  readonly arrays = new Set<string>();

  /** @throws JsonRefusal */
  push(chunk: Uint8Array): void {
    let from = this.isHolding() ? 0 : -1;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] as number;
      if (this.isInString) {
        if (this.isEscaped) this.isEscaped = false;
        else if (byte === BACKSLASH) this.isEscaped = true;
        else if (byte === QUOTE) {
          this.isInString = false;
          if (this.depth === 1 && this.phase === 'key') {
            this.key = this.parse(chunk.subarray(Math.max(from, 0), at + 1)) as string;
            from = -1;
            this.phase = 'colon';
          } else if (this.depth === 1 && this.phase === 'value') this.phase = 'after';
        }
        continue;
      }
      if (this.phase === 'start' && (byte === 0xef || byte === 0xbb || byte === 0xbf)) continue;
      if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) continue;
      const isElementStart = this.depth === 2 && this.isArray && from < 0 && byte !== COMMA && byte !== CLOSE_ARRAY && this.wanted.has(this.key);
      if (isElementStart) from = at;
      switch (byte) {
        case QUOTE:
          this.openString();
          if (this.depth === 1 && this.phase === 'key') from = at;
          break;
        case OPEN_OBJECT:
        case OPEN_ARRAY:
          this.open(byte);
          break;
        case CLOSE_OBJECT:
        case CLOSE_ARRAY:
          if (this.depth === 2 && this.isArray && from >= 0) from = this.element(chunk, from, at);
          this.close(byte);
          break;
        case COMMA:
          if (this.depth === 2 && this.isArray && from >= 0) from = this.element(chunk, from, at);
          else if (this.depth === 1) this.expect('after', 'key');
          break;
        case COLON:
          if (this.depth === 1) this.expect('colon', 'value');
          break;
        default:
          // A number or a word: at the root it is a value that ends with the next comma or brace.
          if (this.depth === 0 || (this.depth === 1 && this.phase !== 'value' && this.phase !== 'after')) throw new JsonRefusal('it is not valid JSON');
          if (this.depth === 1) this.phase = 'after';
      }
    }
    if (from >= 0) this.hold(chunk.subarray(from));
  }

  /** @throws JsonRefusal when the object is cut short */
  end(): void {
    if (this.phase !== 'done') throw new JsonRefusal('it is not valid JSON (it ends too early)');
  }

  private isHolding(): boolean {
    return this.held > 0;
  }

  private hold(piece: Uint8Array): void {
    this.held += piece.length;
    if (this.held > (this.depth === 1 ? MAX_KEY_BYTES : MAX_ELEMENT_BYTES)) throw new JsonRefusal(`an element of its JSON is larger than ${MAX_ELEMENT_BYTES} bytes`);
    // The chunk's memory may be used again by whoever brought it.
    this.pieces.push(piece.slice());
  }

  private parse(last: Uint8Array): unknown {
    if (this.held + last.length > (this.depth === 1 ? MAX_KEY_BYTES : MAX_ELEMENT_BYTES)) throw new JsonRefusal('a name in its JSON is too long');
    const whole = this.held === 0 ? last : joined(this.pieces, last);
    this.pieces.length = 0;
    this.held = 0;
    try {
      return JSON.parse(this.decoder.decode(whole));
    } catch {
      throw new JsonRefusal('it is not valid JSON');
    }
  }

  private element(chunk: Uint8Array, from: number, to: number): number {
    const last = chunk.subarray(from, to);
    if (this.held + last.length > MAX_ELEMENT_BYTES) throw new JsonRefusal(`an element of its JSON is larger than ${MAX_ELEMENT_BYTES} bytes`);
    this.take(this.key, this.parse(last));
    return -1;
  }

  private openString(): void {
    if (this.depth === 0 || (this.depth === 1 && this.phase !== 'key' && this.phase !== 'value')) throw new JsonRefusal('it is not valid JSON');
    this.isInString = true;
  }

  private open(byte: number): void {
    if (this.depth === 0 ? this.phase !== 'start' || byte !== OPEN_OBJECT : this.depth === 1 && this.phase !== 'value') throw new JsonRefusal('it is not a JSON object');
    if (this.depth === 0) this.phase = 'key';
    if (this.depth === 1) {
      this.isArray = byte === OPEN_ARRAY;
      if (this.isArray) this.arrays.add(this.key.slice(0, 100));
      if (this.arrays.size > 1000) throw new JsonRefusal('it has more than 1000 lists');
    }
    this.brackets.push(byte);
    this.depth += 1;
    if (this.depth > MAX_DEPTH) throw new JsonRefusal(`it is nested deeper than ${MAX_DEPTH} levels`);
  }

  private close(byte: number): void {
    // `{` and `}` lie two apart, as do `[` and `]`.
    if (this.brackets.pop() !== byte - 2) throw new JsonRefusal('it is not valid JSON');
    this.depth -= 1;
    if (this.depth === 1) this.phase = 'after';
    if (this.depth === 0) {
      if (this.phase === 'colon' || this.phase === 'value') throw new JsonRefusal('it is not valid JSON');
      this.phase = 'done';
    }
  }

  private expect(phase: 'after' | 'colon', next: 'key' | 'value'): void {
    if (this.phase !== phase) throw new JsonRefusal('it is not valid JSON');
    this.phase = next;
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
