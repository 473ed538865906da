import type { Schemas } from '../api/client';
import { text } from '../text';

/** `error_rate > 0.1 for 15m`. */
export const conditionText = ({ metric, op, value, for: span }: Schemas['RollbackConditionBody']): string =>
  text.conditions.sentence(metric, op, value, span);
