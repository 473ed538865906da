import { wellFormed } from './cell.js';

const INTEGER = /^[+-]?(0|[1-9]\d*)$/;
const FLOAT = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?$/;
const SPECIAL = /^(nan|[+-]?inf(inity)?)$/i;
const BOOLEAN = /^(true|false)$/i;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?$/;
/** What spreadsheets and data frames write for a missing value. */
const MISSING: ReadonlySet<string> = new Set(['', 'NA', 'N/A', 'null', 'NULL', 'None']);

export type TextType = 'int64' | 'float64' | 'bool' | 'date' | 'timestamp' | 'string';

export const isMissing = (text: string): boolean => MISSING.has(text);

/** The narrowest type that all texts of a column have; missing values say nothing. `007` is a text, not a number. */
export function typeOfTexts(texts: Iterable<string>): { dtype: TextType; nullable: boolean } {
  let dtype: TextType | null = null;
  let nullable = false;
  for (const text of texts) {
    if (isMissing(text)) nullable = true;
    else dtype = dtype === null ? typeOfText(text) : joined(dtype, typeOfText(text));
  }
  return { dtype: dtype ?? 'string', nullable: nullable || dtype === null };
}

function typeOfText(text: string): TextType {
  if (INTEGER.test(text)) return isInt64(text) ? 'int64' : 'float64';
  if ((FLOAT.test(text) && !/^[+-]?0\d/.test(text)) || SPECIAL.test(text)) return 'float64';
  if (BOOLEAN.test(text)) return 'bool';
  if (DATE.test(text)) return 'date';
  return TIMESTAMP.test(text) ? 'timestamp' : 'string';
}

const isInt64 = (integer: string): boolean =>
  integer.length < 19 || (integer.length <= 20 && fitsInt64(BigInt(integer)));
const fitsInt64 = (integer: bigint): boolean => BigInt.asIntN(64, integer) === integer;

function joined(a: TextType, b: TextType): TextType {
  if (a === b) return a;
  const both = new Set([a, b]);
  if (both.has('int64') && both.has('float64')) return 'float64';
  return both.has('date') && both.has('timestamp') ? 'timestamp' : 'string';
}

/** A text as a value of its column's type. Integers beyond what a double holds stay texts. */
export function typedValue(text: string, dtype: TextType): unknown {
  if (dtype === 'string') return text === '' ? null : text;
  if (isMissing(text)) return null;
  if (dtype === 'bool') return text.toLowerCase() === 'true';
  if (dtype !== 'int64' && dtype !== 'float64') return text;
  const number = Number(text);
  return Number.isNaN(number) || (INTEGER.test(text) && !Number.isSafeInteger(number)) ? text : number;
}

/** The type of JSON values of one column. */
export function typeOfValues(values: Iterable<unknown>): { dtype: string; nullable: boolean } {
  const types = new Set<string>();
  let nullable = false;
  for (const value of values) {
    if (value === null || value === undefined) nullable = true;
    else types.add(typeOfValue(value));
  }
  if (types.size === 2 && types.has('int64') && types.has('float64')) return { dtype: 'float64', nullable };
  return types.size === 1
    ? { dtype: [...types][0] as string, nullable }
    : { dtype: types.size === 0 ? 'string' : 'json', nullable: nullable || types.size === 0 };
}

function typeOfValue(value: unknown): string {
  // Large integers are read as bigint: a large number was written with a fraction or an exponent.
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'int64' : 'float64';
  if (typeof value === 'bigint') return fitsInt64(value) ? 'int64' : 'float64';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'string' ? 'string' : 'json';
}

/**
 * Names that are unique and never empty, each at most 200 characters: `a`, `a`, `` become `a`, `a_2`, `column_3`. They
 * are kept with the dataset, so they hold nothing that a database refuses: JSON and Parquet may have NUL in a name.
 */
export function uniqueNames(names: readonly string[]): string[] {
  const used = new Set<string>();
  return names.map((raw, at) => {
    const stem = wellFormed(raw.trim().slice(0, 200)).replaceAll('\0', '\uFFFD') || `column_${at + 1}`;
    let name = stem;
    for (let n = 2; used.has(name); n += 1) name = `${stem}_${n}`;
    used.add(name);
    return name;
  });
}
