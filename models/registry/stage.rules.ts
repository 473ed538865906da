import { fieldError, unprocessable } from '../../core/errors/app-error.js';
import { stateMachine } from '../../core/states/state-machine.js';
import type { Stage } from './model.types.js';

/**
 * People lead a version to every stage but Production. A promotion leads there from None and Staging, and the version that was
 * there to Archived; its rollback leads both back, the former one from wherever it is by then.
 */
export const STAGE_MACHINE = stateMachine<Stage>('A model version', {
  None: ['Staging', 'Production', 'Archived'],
  Staging: ['None', 'Production', 'Archived'],
  Production: ['None', 'Staging', 'Archived'],
  Archived: ['None', 'Staging', 'Production'],
});

/**
 * Stages that people set directly. Production is reached by a promotion, which checks and records who
 * approved.
 */
export const SETTABLE_STAGES = ['Archived', 'Staging', 'None'] as const;
export type SettableStage = (typeof SETTABLE_STAGES)[number];

/** @throws AppError unprocessable_entity for Production and for a word that is no stage */
export function assertSettable(stage: string): asserts stage is SettableStage {
  if (stage === 'Production')
    throw unprocessable([
      fieldError(
        ['body', 'stage'],
        'Production is reached by promotion alone: choose Archived, Staging or None',
      ),
    ]);
  if (!(SETTABLE_STAGES as readonly string[]).includes(stage))
    throw unprocessable([fieldError(['body', 'stage'], `must be one of ${SETTABLE_STAGES.join(', ')}`)]);
}
