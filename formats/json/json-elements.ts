import Assembler from 'stream-json/core/assembler.js';
import { jsonParser, type Token } from 'stream-json/core/parser.js';

/** Why a JSON file cannot be read; the message is for people. */
export class JsonRefusal extends Error {}

/** What is parsed at a time: its tokens take many times as much. */
const PIECE_BYTES = 16 * 1024;
const MAX_DEPTH = 20;
/** Limit for lists of other tools, which are walked over alone. */
const MAX_LIST_DEPTH = 10_000;
const MAX_ELEMENT_CHARS = 8 * 1024 * 1024;
/** Three characters of text are an object of some sixty bytes in memory; numbers cost no more than their text. */
const MAX_ELEMENT_PARTS = 100_000;
const MAX_KEY_CHARS = 1000;

/** What some programs write; the end of what was read may cut it. */
const NO_NUMBERS = /[[:,]\s*-?(?:NaN\b|Na?$|Infinity\b|I(?:n[a-z]*)?$)/;

/**
 * Takes a JSON object apart while its bytes arrive: hands over each element of the arrays below its root, with the
 * array's key, and holds no more than one of them. What is not handed over must be JSON too. Depth and size of an
 * element are bounded. `end` says whether the object was whole.
 */
export class JsonElements {
  private readonly decoder = new TextDecoder('utf-8', { fatal: true });
  /** Texts come in pieces, so that long ones that nobody wants take no memory. */
  private readonly parse = jsonParser({ packValues: false });
  /** The one that is being read. */
  private readonly element = new Assembler();
  /** The latest that was parsed. */
  private piece = '';
  private depth = 0;
  private isWhole = false;
  /** Key of the root. */
  private key = '';
  /** True inside an array whose elements are handed over. */
  private isWanted = false;
  /** The name, text or number under way, where it is wanted. */
  private text = '';
  private isTextWanted = false;
  /** Characters, lists and objects of the element so far. */
  private held = 0;
  private parts = 0;

  /**
   * @param wanted keys of arrays whose elements are handed over; what stands under other keys is only walked over
   * @param take gets each element
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
    for (let at = 0; at < chunk.length; at += PIECE_BYTES)
      for (const token of this.tokensOf(chunk.subarray(at, at + PIECE_BYTES))) this.walk(token);
  }

  /** @throws JsonRefusal when the object is cut short */
  end(): void {
    if (!this.isWhole) throw new JsonRefusal('it is not valid JSON (it ends too early)');
  }

  private tokensOf(bytes: Uint8Array): readonly Token[] {
    const before = this.piece;
    try {
      this.piece = this.decoder.decode(bytes, { stream: true });
      const found = this.parse(this.piece);
      return typeof found === 'symbol' ? [] : found.values;
    } catch {
      const why = NO_NUMBERS.test(before + this.piece) ? ': NaN and Infinity are no numbers of JSON' : '';
      throw new JsonRefusal(`it is not valid JSON${why}`);
    }
  }

  private walk(token: Token): void {
    switch (token.name) {
      case 'startObject':
      case 'startArray':
        this.open(token.name === 'startArray');
        if (this.isWanted && this.depth > 2) this.element.consume(token);
        return;
      case 'endObject':
      case 'endArray':
        this.depth -= 1;
        this.isWhole = this.depth === 0;
        return this.put(token);
      case 'startKey':
      case 'startString':
      case 'startNumber':
        this.text = '';
        this.isTextWanted = this.depth === 1 ? token.name === 'startKey' : this.isWanted;
        return;
      case 'stringChunk':
      case 'numberChunk':
        return this.hold(token.value);
      case 'endKey':
        if (this.depth === 1) this.key = this.text;
        return this.put({ name: 'keyValue', value: this.text });
      case 'endString':
        return this.put({ name: 'stringValue', value: this.text });
      case 'endNumber':
        return this.put({ name: 'numberValue', value: this.text });
      case 'nullValue':
      case 'trueValue':
      case 'falseValue':
      case 'keyValue':
      case 'stringValue':
      case 'numberValue':
        return this.put(token);
      case 'whitespace':
        return;
    }
  }

  private open(isArray: boolean): void {
    if (this.depth === 0 && isArray && !this.mayBeList) {
      this.isList = true;
      throw notAnObject();
    }
    if (this.depth === 1) {
      this.isWanted = isArray && this.wanted.has(this.key);
      if (isArray) this.arrays.add(this.key.slice(0, 100));
      if (this.arrays.size > 1000) throw new JsonRefusal('it has more than 1000 lists');
    }
    if (this.depth > 2) this.parts += 1;
    if (this.isWanted && this.parts > MAX_ELEMENT_PARTS)
      throw new JsonRefusal(`an element of its JSON holds more than ${MAX_ELEMENT_PARTS} lists and objects`);
    const most = this.mayBeList ? MAX_LIST_DEPTH : MAX_DEPTH;
    if (this.depth === most) throw new JsonRefusal(`it is nested deeper than ${most} levels`);
    this.depth += 1;
  }

  private hold(text: string): void {
    if (!this.isTextWanted) return;
    this.text += text;
    if (this.depth === 1) {
      if (this.text.length > MAX_KEY_CHARS) throw new JsonRefusal('a name in its JSON is too long');
      return;
    }
    this.held += text.length + 1;
    if (this.held > MAX_ELEMENT_CHARS)
      throw new JsonRefusal(`an element of its JSON is larger than ${MAX_ELEMENT_CHARS} characters`);
  }

  /** Adds a value or its end to the element, and hands that over once it is complete. */
  private put(token: Token): void {
    if (this.depth === 0 && !this.isWhole) throw notAnObject();
    if (!this.isWanted || this.depth < 2) return;
    this.element.consume(token);
    if (this.depth > 2) return;
    this.take(this.key, this.element.current);
    [this.held, this.parts] = [0, 0];
  }
}

const notAnObject = () => new JsonRefusal('it is not a JSON object');
