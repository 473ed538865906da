import { type RawBuilder, sql } from 'kysely';
import type { FilterValue, Operator } from '../../formats/mlflow/filter.js';
import { badFilter, numberOf, textOf } from './terms.rules.js';

export type ViewType = 'ACTIVE_ONLY' | 'DELETED_ONLY' | 'ALL';

/** The operators that compare two values, as SQL. */
const SIGNS: Readonly<Partial<Record<Operator, RawBuilder<unknown>>>> = {
  '=': sql`=`,
  '!=': sql`<>`,
  '>': sql`>`,
  '>=': sql`>=`,
  '<': sql`<`,
  '<=': sql`<=`,
};

/** @throws AppError bad_request for an operator that texts do not have */
export function compareText(
  column: RawBuilder<unknown>,
  operator: Operator,
  value: FilterValue,
): RawBuilder<boolean> {
  if (operator === 'IN') return sql<boolean>`${column} = any(${[...(value as readonly string[])]}::text[])`;
  if (operator === 'NOT IN')
    return sql<boolean>`${column} <> all(${[...(value as readonly string[])]}::text[])`;
  const text = textOf(value);
  // A backslash is a character like any other.
  if (operator === 'LIKE') return sql<boolean>`${column} like ${text} escape ''`;
  if (operator === 'ILIKE') return sql<boolean>`${column} ilike ${text} escape ''`;
  if (operator !== '=' && operator !== '!=') throw badFilter(`${operator} does not compare texts.`);
  return sql<boolean>`${column} ${SIGNS[operator]} ${text}`;
}

/** NaN is unequal to every number, and compares with none otherwise, as in MLflow. @throws AppError bad_request for an operator that numbers do not have */
export function compareNumber(
  column: RawBuilder<unknown>,
  operator: Operator,
  value: FilterValue,
): RawBuilder<boolean> {
  const sign = SIGNS[operator];
  if (sign === undefined) throw badFilter(`${operator} does not compare numbers.`);
  const matches = sql<boolean>`${column} ${sign} ${numberOf(value)}`;
  // PostgreSQL takes NaN for the greatest of all numbers.
  return operator === '!=' ? matches : sql<boolean>`(${matches} and ${column} <> 'NaN')`;
}

/** Dates hold no more than this. */
const MAX_DATE_MS = 8.64e15;

/** Against milliseconds since 1970, as they are answered: what is stored may be microseconds behind. */
export function compareDate(
  column: RawBuilder<unknown>,
  operator: Operator,
  value: FilterValue,
): RawBuilder<boolean> {
  const ms = Math.floor(Math.min(MAX_DATE_MS - 1, Math.max(-MAX_DATE_MS / 100, numberOf(value))));
  const [begin, next] = [new Date(ms), new Date(ms + 1)];
  const terms: Readonly<Partial<Record<Operator, RawBuilder<boolean>>>> = {
    '=': sql`(${column} >= ${begin} and ${column} < ${next})`,
    '!=': sql`(${column} < ${begin} or ${column} >= ${next})`,
    '>': sql`${column} >= ${next}`,
    '>=': sql`${column} >= ${begin}`,
    '<': sql`${column} < ${begin}`,
    '<=': sql`${column} < ${next}`,
  };
  const matches = terms[operator];
  if (matches === undefined) throw badFilter(`${operator} does not compare times.`);
  return matches;
}

export const inView = (lifecycle: RawBuilder<unknown>, view: ViewType): RawBuilder<boolean> =>
  view === 'ALL'
    ? sql<boolean>`true`
    : sql<boolean>`${lifecycle} = ${view === 'ACTIVE_ONLY' ? 'active' : 'deleted'}`;
