import type { ParquetParsers, SchemaElement } from 'hyparquet';
import { UnreadableTable } from '../../core/ports/table-reader.js';
import { MAX_CELL_TEXT } from '../../formats/tables/cell.js';

/** Values as a sample shows them: texts cut before they are decoded, JSON left as text, dates without a time, times with all their digits, in UTC. */
export const PARSERS: Partial<ParquetParsers> = {
  stringFromBytes: (bytes: Uint8Array | undefined) => textOf(bytes),
  jsonFromBytes: (bytes: Uint8Array | undefined) => textOf(bytes),
  dateFromDays: (days: number) => dateText(days),
  timestampFromMicroseconds: (micros: bigint) => timestampText(micros, 6),
  timestampFromNanoseconds: (nanos: bigint) => timestampText(nanos, 9),
};

const LOCAL_PARSERS: Partial<ParquetParsers> = {
  ...PARSERS,
  timestampFromMilliseconds: (millis: bigint) => withoutZone(new Date(Number(millis))),
  timestampFromMicroseconds: (micros: bigint) => withoutZone(timestampText(micros, 6)),
  timestampFromNanoseconds: (nanos: bigint) => withoutZone(timestampText(nanos, 9)),
};

/** @param elements of one column: among nested ones no timestamp is shown in UTC where some have no zone (`isAdjustedToUTC: false`) */
export const parsersOf = (elements: readonly SchemaElement[]): Partial<ParquetParsers> =>
  elements.some(({ logical_type: logical }) => logical?.type === 'TIMESTAMP' && !logical.isAdjustedToUTC)
    ? LOCAL_PARSERS
    : PARSERS;

// No character takes more than four bytes, so what is cut here is still longer than what is shown.
function textOf(bytes: Uint8Array | undefined): string | undefined {
  return bytes && new TextDecoder().decode(bytes.subarray(0, 4 * MAX_CELL_TEXT));
}

/** In UTC, with more than milliseconds only where there are more. @param digits of a second that one unit is */
function timestampText(units: bigint, digits: 6 | 9): unknown {
  const perMilli = 10n ** BigInt(digits - 3);
  const rest = ((units % perMilli) + perMilli) % perMilli;
  const date = new Date(Number((units - rest) / perMilli));
  if (rest === 0n || Number.isNaN(date.getTime())) return date;
  return `${date.toISOString().slice(0, -1)}${String(rest).padStart(digits - 3, '0')}Z`;
}

/** An invalid date stays one. */
function withoutZone(value: unknown): unknown {
  const text = value instanceof Date && !Number.isNaN(value.getTime()) ? value.toISOString() : value;
  return typeof text === 'string' ? text.slice(0, -1) : text;
}

const DAY_MS = 86_400_000;

/** `YYYY-MM-DD`. @param days since 1970-01-01 */
function dateText(days: number): unknown {
  const date = new Date(days * DAY_MS);
  return Number.isNaN(date.getTime()) ? date : date.toISOString().split('T')[0];
}

export const isDecimal = ({ converted_type: converted, logical_type: logical }: SchemaElement): boolean =>
  converted === 'DECIMAL' || logical?.type === 'DECIMAL';

export function precisionAndScale({ precision, scale, logical_type: logical }: SchemaElement): {
  precision: number;
  scale: number;
} {
  const stated = logical?.type === 'DECIMAL' ? logical : null;
  return { precision: precision ?? stated?.precision ?? 0, scale: scale ?? stated?.scale ?? 0 };
}

/** How a value of a column without parts is shown; null: as it is decoded. */
export function rendererOf(element: SchemaElement, dtype: string): ((value: unknown) => unknown) | null {
  const render = singleRenderer(element, dtype);
  return render && ((value) => (Array.isArray(value) ? value.map(render) : render(value)));
}

function singleRenderer(element: SchemaElement, dtype: string): ((value: unknown) => unknown) | null {
  if (isDecimal(element)) {
    const { scale } = precisionAndScale(element);
    return (value) => decimalText(value, scale);
  }
  if (dtype === 'time') {
    const digits = timeDigits(element);
    return (value) => timeText(value, digits);
  }
  return dtype === 'binary' ? readable : null;
}

const MAX_SCALE = 1000;
/** Four times the longest that is in use (256 bits). */
const MAX_DECIMAL_BYTES = 128;

/** With all digits of its scale. @param value unscaled: an integer, or one of two's complement, the highest byte first */
function decimalText(value: unknown, scale: number): unknown {
  if (!(scale >= 0 && scale <= MAX_SCALE))
    throw new UnreadableTable('its decimals have a scale that cannot be');
  const unscaled =
    value instanceof Uint8Array
      ? fromBytes(value)
      : typeof value === 'number' || typeof value === 'bigint'
        ? BigInt(value)
        : null;
  if (unscaled === null) return value;
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0');
  const point = digits.length - scale;
  return `${unscaled < 0n ? '-' : ''}${digits.slice(0, point)}${scale > 0 ? `.${digits.slice(point)}` : ''}`;
}

function fromBytes(bytes: Uint8Array): bigint {
  if (bytes.length > MAX_DECIMAL_BYTES)
    throw new UnreadableTable(`its decimals are longer than ${MAX_DECIMAL_BYTES} bytes`);
  return bytes.length === 0
    ? 0n
    : BigInt.asIntN(bytes.length * 8, BigInt(`0x${Buffer.from(bytes).toString('hex')}`));
}

function timeDigits({ converted_type: converted, logical_type: logical }: SchemaElement): 3 | 6 | 9 {
  const unit = logical?.type === 'TIME' ? logical.unit : converted === 'TIME_MICROS' ? 'MICROS' : 'MILLIS';
  return unit === 'NANOS' ? 9 : unit === 'MICROS' ? 6 : 3;
}

/** `HH:MM:SS` with the digits of its unit. @param value units since midnight */
function timeText(value: unknown, digits: 3 | 6 | 9): unknown {
  if (typeof value !== 'number' && typeof value !== 'bigint') return value;
  const units = BigInt(value);
  const perSecond = 10n ** BigInt(digits);
  const seconds = Number(units / perSecond);
  if (units < 0n || seconds >= 86_400) return value;
  const two = (part: number) => String(Math.floor(part)).padStart(2, '0');
  return `${two(seconds / 3600)}:${two((seconds / 60) % 60)}:${two(seconds % 60)}.${String(units % perSecond).padStart(digits, '0')}`;
}

/** Bytes that are plain text as text. */
function readable(value: unknown): unknown {
  if (!(value instanceof Uint8Array)) return value;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(value.subarray(0, 4 * MAX_CELL_TEXT), {
      stream: true,
    });
    return /[\u0000-\u0008\u000e-\u001f]/.test(text) ? value : text;
  } catch {
    return value;
  }
}
