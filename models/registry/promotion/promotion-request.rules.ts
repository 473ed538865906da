import { conflict, fieldError, unprocessable } from '../../../core/errors/app-error.js';
import { parseSpan } from '../../../core/time/parse-span.js';
import type { Stage } from '../model.types.js';
import type { RollbackCondition } from './promotion.types.js';

const METRIC = /^[A-Za-z][A-Za-z0-9_.\-/]{0,127}$/;

/** @throws AppError unprocessable_entity: the two versions of the request must be the same */
export function assertSameVersion(inPath: number, toVersion: number): void {
  if (inPath !== toVersion)
    throw unprocessable([
      fieldError(['body', 'to_version'], `must be ${inPath}, the version that the path names`),
    ]);
}

/** @param field of the body that they stand in @throws AppError unprocessable_entity naming the condition */
export function assertConditions(
  conditions: readonly RollbackCondition[],
  field = 'rollback_conditions',
): void {
  const problems = conditions.flatMap(({ metric, value, for: span }, at) => [
    ...(METRIC.test(metric)
      ? []
      : [fieldError(['body', field, at, 'metric'], 'must be the name of a metric')]),
    ...(Number.isFinite(value) ? [] : [fieldError(['body', field, at, 'value'], 'must be a finite number')]),
    ...(parseSpan(span) === null
      ? [fieldError(['body', field, at, 'for'], 'must be an integer with m, h or d')]
      : []),
  ]);
  if (problems.length > 0) throw unprocessable(problems);
}

/** @throws AppError conflict when there is nothing to promote */
export function assertPromotable(stage: Stage): void {
  if (stage === 'Production') throw conflict('The version is in Production already.');
}
