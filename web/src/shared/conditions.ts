import type { Schemas } from '../api/client';

type ConditionBody = Schemas['RollbackConditionBody'];

/** A condition as it is typed. */
export type Condition = Pick<ConditionBody, 'metric' | 'op' | 'for'> & { readonly value: number | string };

/** A value that is cleared or begun with its sign alone is none yet, and not 0. */
export const isCondition = ({ metric, value, for: span }: Condition): boolean =>
  metric.trim() !== '' && value !== '' && Number.isFinite(Number(value)) && /^[1-9]\d{0,4}[mhd]$/.test(span);

/** What is sent of a condition that is one. */
export const conditionOf = (typed: Condition): ConditionBody => ({ ...typed, value: Number(typed.value) });
