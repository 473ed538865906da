import { type FieldError, fieldError, MAX_FIELD_ERRORS } from '../../../core/errors/app-error.js';
import { unknownKeys } from '../../../core/errors/unknown-keys.js';

/** Form of one field of a closed object; `absent` is the value of a field that is missing or null. */
export type Field =
  | { readonly kind: 'text'; readonly absent?: string | null; readonly least?: number; readonly most: number }
  | {
      readonly kind: 'flag' /** null: what is absent depends on more than the field */;
      readonly absent: boolean | null;
    }
  | {
      readonly kind: 'number' | 'integer';
      readonly absent?: number | null;
      readonly least: number;
      readonly most: number;
    }
  | { readonly kind: 'choice'; readonly absent?: string; readonly values: readonly string[] }
  | {
      readonly kind: 'texts';
      readonly most: number;
      readonly mostLength: number;
      readonly values?: readonly string[];
    }
  | { readonly kind: 'object'; readonly fields: Shape };

export type Shape = Readonly<Record<string, Field>>;
type Place = ReadonlyArray<string | number>;

/**
 * Reads an object of a closed shape and fills in what is absent. Unknown keys are named together with the
 * nearest known one: a typo must not train with defaults.
 * @returns the complete object, meaningless unless `errors` stayed empty
 */
export function readShape(
  given: unknown,
  shape: Shape,
  place: Place,
  errors: FieldError[],
): Record<string, unknown> {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    errors.push(fieldError(place, 'must be an object', 'type_error'));
    return {};
  }
  errors.push(...unknownKeys(given, Object.keys(shape), place, MAX_FIELD_ERRORS - errors.length));
  return Object.fromEntries(
    Object.entries(shape).map(([key, field]) => [
      key,
      readField((given as Record<string, unknown>)[key] ?? null, field, [...place, key], errors),
    ]),
  );
}

function readField(value: unknown, field: Field, place: Place, errors: FieldError[]): unknown {
  if (field.kind === 'object') return readShape(value ?? {}, field.fields, place, errors);
  if (value === null) return absent(field, place, errors);
  const problem = problemOf(value, field);
  if (problem !== null) errors.push(fieldError(place, problem, 'value_error'));
  return value;
}

function absent(field: Exclude<Field, { kind: 'object' }>, place: Place, errors: FieldError[]): unknown {
  if (field.kind === 'texts') return [];
  if (field.absent === undefined) errors.push(fieldError(place, 'is required', 'missing'));
  return field.absent;
}

function problemOf(value: unknown, field: Exclude<Field, { kind: 'object' }>): string | null {
  switch (field.kind) {
    case 'text':
      return textProblem(value, field.least ?? 0, field.most);
    case 'flag':
      return typeof value === 'boolean' ? null : 'must be true or false';
    case 'integer':
    case 'number':
      return numberProblem(value, field);
    case 'choice':
      return typeof value === 'string' && field.values.includes(value)
        ? null
        : `must be one of ${field.values.join(', ')}`;
    case 'texts':
      return textsProblem(value, field);
  }
}

function textProblem(value: unknown, least: number, most: number): string | null {
  if (typeof value !== 'string') return 'must be a text';
  if (value.length < least || value.length > most)
    return least === 0 ? `must have at most ${most} characters` : `must have ${least} to ${most} characters`;
  return value.includes('\u0000') ? 'must not contain a NUL character' : null;
}

function numberProblem(
  value: unknown,
  field: { kind: 'number' | 'integer'; least: number; most: number },
): string | null {
  const isRight =
    typeof value === 'number' &&
    Number.isFinite(value) &&
    (field.kind === 'number' || Number.isInteger(value));
  if (!isRight) return field.kind === 'integer' ? 'must be an integer' : 'must be a number';
  return value < field.least || value > field.most ? `must be from ${field.least} to ${field.most}` : null;
}

function textsProblem(
  value: unknown,
  field: { most: number; mostLength: number; values?: readonly string[] },
): string | null {
  if (!Array.isArray(value)) return 'must be a list of texts';
  if (value.length > field.most) return `must hold at most ${field.most} items`;
  for (const item of value) {
    const problem = textProblem(item, 1, field.mostLength);
    if (problem !== null) return `must hold texts only: an item ${problem}`;
    if (field.values && !field.values.includes(item as string))
      return `may hold ${field.values.join(', ')} only`;
  }
  return new Set(value).size === value.length ? null : 'must not hold an item twice';
}
