import type { ImageRow } from '../images/image.types.js';
import type { ProgramOrigin } from '../workloads/program-origin.rules.js';

/** A model image is built here, of a runtime's server and a model that this runtime trained; others bring their own program. */
export const originOfImage = ({ kind }: Pick<ImageRow, 'kind'>): ProgramOrigin =>
  kind === 'model' ? 'platform' : 'tenant';
