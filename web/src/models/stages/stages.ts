import type { Stage } from '../../shared/stage-chip';

export type StageKey = 'none' | 'staging' | 'production' | 'archived';

/** Stages in the order in which a version goes through them, with their keys in the stage matrix. */
export const STAGES: ReadonlyArray<{ readonly stage: Stage; readonly key: StageKey }> = [
  { stage: 'None', key: 'none' },
  { stage: 'Staging', key: 'staging' },
  { stage: 'Production', key: 'production' },
  { stage: 'Archived', key: 'archived' },
];

export const isStageKey = (word: unknown): word is StageKey => STAGES.some(({ key }) => key === word);
