import { badRequest } from '../../core/errors/app-error.js';

export const OPERATORS = [
  '=',
  '!=',
  '>',
  '>=',
  '<',
  '<=',
  'LIKE',
  'ILIKE',
  'IN',
  'NOT IN',
  'IS NULL',
  'IS NOT NULL',
] as const;
export type Operator = (typeof OPERATORS)[number];

/** Null with IS NULL and IS NOT NULL; a list with IN and NOT IN. */
export type FilterValue = string | number | readonly string[] | null;

/** One comparison. `entity` is as it was written: `metrics`, `param`, `tags`; `attribute` when none was. */
export interface Condition {
  readonly entity: string;
  readonly key: string;
  readonly operator: Operator;
  readonly value: FilterValue;
}

/** What one query may be made of; a list of run ids counts once. */
const MAX_CONDITIONS = 100;
/** The longest piece of a filter that a refusal repeats. */
const MAX_SHOWN = 100;

const refuse = (problem: string) => badRequest(`Invalid filter: ${problem}`);
const shown = (text: string): string => JSON.stringify(text.slice(0, MAX_SHOWN));

/** Reads one text from left to right; each character is looked at once. */
class Reader {
  at = 0;

  constructor(readonly text: string) {}

  skipSpace(): void {
    while (/\s/.test(this.text.charAt(this.at))) this.at += 1;
  }

  get isAtEnd(): boolean {
    this.skipSpace();
    return this.at >= this.text.length;
  }

  /** @param pattern sticky */
  take(pattern: RegExp): string | null {
    this.skipSpace();
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? null;
    if (found !== null) this.at += found.length;
    return found;
  }

  rest(): string {
    return shown(this.text.slice(this.at));
  }
}

const COMPARISON = /!=|<=|>=|=|<|>/y;
const NOT_IN = /not\s+in\b/iy;
const IS_NOT_NULL = /is\s+not\s+null\b/iy;
const IS_NULL = /is\s+null\b/iy;
const WORD = /(?:ilike|like|in)\b/iy;
const QUOTED = /'[^']*'|"[^"]*"/y;
const NUMBER = /[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?/iy;
const AND = /and\b/iy;
/** Bare and quoted pieces in a row, such as `params."learning rate"`. */
const IDENTIFIER = /(?:[^\s'"`=<>!(),;]+|`[^`]*`|"[^"]*")+/y;
/** Python writes a tuple of one with a comma behind it. */
const LIST_END = /,?\s*\)/y;
const DIRECTION = /(?:asc|desc)\b/iy;

/**
 * Reads a filter in the grammar of MLflow's searches: comparisons joined by AND (docs/adr/mlflow-filters.md).
 * @throws AppError bad_request saying where it cannot be read
 */
export function parseFilter(text: string): Condition[] {
  const reader = new Reader(text);
  const conditions: Condition[] = [];
  while (!reader.isAtEnd) {
    if (conditions.length > 0 && reader.take(AND) === null)
      throw refuse(`join comparisons with AND; found ${reader.rest()}.`);
    if (conditions.length === MAX_CONDITIONS) throw refuse(`at most ${MAX_CONDITIONS} comparisons.`);
    conditions.push(readCondition(reader));
  }
  return conditions;
}

/** @throws AppError bad_request */
export function parseOrder(text: string): Pick<Condition, 'entity' | 'key'> & { isDescending: boolean } {
  const reader = new Reader(text);
  const place = readIdentifier(reader, 'order_by');
  const isDescending = reader.take(DIRECTION)?.toLowerCase() === 'desc';
  if (!reader.isAtEnd) throw badRequest(`Invalid order_by: ${shown(text)} ends with ${reader.rest()}.`);
  return { ...place, isDescending };
}

function readCondition(reader: Reader): Condition {
  const place = readIdentifier(reader, 'filter');
  if (reader.take(IS_NOT_NULL) !== null) return { ...place, operator: 'IS NOT NULL', value: null };
  if (reader.take(IS_NULL) !== null) return { ...place, operator: 'IS NULL', value: null };
  if (reader.take(NOT_IN) !== null) return { ...place, operator: 'NOT IN', value: readList(reader) };
  const operator = (reader.take(COMPARISON) ?? reader.take(WORD))?.toUpperCase() as Operator | undefined;
  if (operator === undefined) throw refuse(`expected a comparator at ${reader.rest()}.`);
  return { ...place, operator, value: operator === 'IN' ? readList(reader) : readValue(reader) };
}

function readIdentifier(reader: Reader, what: string): { entity: string; key: string } {
  const written = reader.take(IDENTIFIER);
  if (written === null)
    throw badRequest(`Invalid ${what}: expected a name such as metrics.loss at ${reader.rest()}.`);
  // The whole may stand in quotes, and so may each part.
  const whole = unquoted(written);
  const dot = whole.indexOf('.');
  if (dot < 0) return { entity: 'attribute', key: whole };
  return { entity: unquoted(whole.slice(0, dot)), key: unquoted(whole.slice(dot + 1)) };
}

function unquoted(text: string): string {
  const quote = text.charAt(0);
  const isQuoted =
    text.length >= 2 && (quote === '`' || quote === '"') && text.indexOf(quote, 1) === text.length - 1;
  return isQuoted ? text.slice(1, -1) : text;
}

function readValue(reader: Reader): string | number {
  const quoted = reader.take(QUOTED);
  if (quoted !== null) return quoted.slice(1, -1);
  const number = reader.take(NUMBER);
  if (number !== null) return Number(number);
  throw refuse(`expected a number or a text in quotes at ${reader.rest()}.`);
}

function readList(reader: Reader): string[] {
  if (reader.take(/\(/y) === null) throw refuse(`expected a list in parentheses at ${reader.rest()}.`);
  const values: string[] = [];
  for (;;) {
    const quoted = reader.take(QUOTED);
    if (quoted === null) throw refuse(`expected a text in quotes at ${reader.rest()}.`);
    values.push(quoted.slice(1, -1));
    if (reader.take(LIST_END) !== null) return values;
    if (reader.take(/,/y) === null) throw refuse(`a list is not closed at ${reader.rest()}.`);
  }
}
