/** Name of the experiment that a client means by the id 0. */
export const DEFAULT_EXPERIMENT = 'Default';
