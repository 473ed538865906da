/** States of the lexer that its users name; the others lie above. */
export const [NONE, TEXT_END, START] = [0, 1, 2];

const [TEXT, ESCAPE, HEX, TAIL] = [3, 4, 5, 9];
/** First bytes after which not every second byte is UTF-8: overlong forms, halves of characters, beyond U+10FFFF. */
const [AFTER_E0, AFTER_ED, AFTER_F0, AFTER_F4] = [12, 13, 14, 15];
const [MINUS, ZERO, INTEGER, POINT, FRACTION, EXPONENT, SIGN, POWER, WORD] = [
  16, 17, 18, 19, 20, 21, 22, 23, 24,
];
const FIRST_OF_WORDS = 25;
const STATES = 36;
const DIGITS = '0123456789';
const WHOLE: ReadonlySet<number> = new Set([ZERO, INTEGER, FRACTION, POWER, WORD]);

/** True where a number or a word may end. */
export const isWhole = (state: number): boolean => WHOLE.has(state);

/**
 * Texts, numbers and words of JSON (RFC 8259) as a table: at `state << 8 | byte` stands the state after that byte, NONE
 * where it does not belong there. Reading it takes no memory, however long a token is.
 */
export const NEXT_STATE: Uint8Array = lexer();

function lexer(): Uint8Array {
  const next = new Uint8Array(STATES << 8);
  const between = (state: number, first: number, last: number, to: number) =>
    next.fill(to, (state << 8) | first, ((state << 8) | last) + 1);
  const on = (state: number, chars: string, to: number) => {
    for (const char of chars) next[(state << 8) | char.charCodeAt(0)] = to;
  };
  texts(between, on);
  on(START, '-', MINUS);
  for (const state of [START, MINUS]) {
    on(state, DIGITS, INTEGER);
    on(state, '0', ZERO);
  }
  for (const state of [ZERO, INTEGER]) on(state, '.', POINT);
  for (const state of [ZERO, INTEGER, FRACTION]) on(state, 'eE', EXPONENT);
  on(INTEGER, DIGITS, INTEGER);
  for (const state of [POINT, FRACTION]) on(state, DIGITS, FRACTION);
  on(EXPONENT, '+-', SIGN);
  for (const state of [EXPONENT, SIGN, POWER]) on(state, DIGITS, POWER);
  let state = FIRST_OF_WORDS;
  for (const word of ['true', 'false', 'null']) {
    on(START, word.slice(0, 1), state);
    for (const char of word.slice(1, -1)) on(state, char, ++state);
    on(state, word.slice(-1), WORD);
    state += 1;
  }
  return next;
}

function texts(
  between: (state: number, first: number, last: number, to: number) => void,
  on: (state: number, chars: string, to: number) => void,
): void {
  on(START, '"', TEXT);
  between(TEXT, 0x20, 0x7f, TEXT);
  on(TEXT, '"', TEXT_END);
  on(TEXT, '\\', ESCAPE);
  on(ESCAPE, '"\\/bfnrt', TEXT);
  on(ESCAPE, 'u', HEX);
  for (let digit = 0; digit < 4; digit += 1)
    on(HEX + digit, `${DIGITS}abcdefABCDEF`, digit === 3 ? TEXT : HEX + digit + 1);
  // TAIL + n: n + 1 bytes of a character are still to come.
  for (let bytes = 0; bytes < 3; bytes += 1) {
    between(TEXT, [0xc2, 0xe0, 0xf0][bytes] as number, [0xdf, 0xef, 0xf4][bytes] as number, TAIL + bytes);
    between(TAIL + bytes, 0x80, 0xbf, bytes === 0 ? TEXT : TAIL + bytes - 1);
  }
  on(TEXT, '\u00e0', AFTER_E0);
  on(TEXT, '\u00ed', AFTER_ED);
  on(TEXT, '\u00f0', AFTER_F0);
  on(TEXT, '\u00f4', AFTER_F4);
  between(AFTER_E0, 0xa0, 0xbf, TAIL);
  between(AFTER_ED, 0x80, 0x9f, TAIL);
  between(AFTER_F0, 0x90, 0xbf, TAIL + 1);
  between(AFTER_F4, 0x80, 0x8f, TAIL + 1);
}
