import type { ImageRow } from '../images/image.types.js';
import type { ProgramOrigin } from '../workloads/program-origin.rules.js';

/**
 * A model image is built here, of a runtime's server and a model that this runtime trained. Others bring their own program, or
 * a model that somebody logged: the server reads it as data, but nobody here made that data.
 */
export const originOfImage = ({ kind, trainingId }: Pick<ImageRow, 'kind' | 'trainingId'>): ProgramOrigin =>
  kind === 'model' && trainingId !== null ? 'platform' : 'tenant';
