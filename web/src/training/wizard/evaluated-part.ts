import type { Draft } from './draft';

type Evaluation = Pick<Draft, 'evaluation'>;

export const EVALUATED = ['test', 'val', 'none'] as const;
type Part = (typeof EVALUATED)[number];

/** The part of the data that the model is evaluated on. */
export const evaluatedPart = ({ evaluation = {} }: Evaluation): Part =>
  evaluation.enabled === false ? 'none' : evaluation.split === 'val' ? 'val' : 'test';

/** The evaluation as it is sent; its other settings stay. */
export const evaluationOf = ({ evaluation }: Evaluation, part: Part): Draft['evaluation'] =>
  part === 'none' ? { ...evaluation, enabled: false } : { ...evaluation, enabled: true, split: part };
