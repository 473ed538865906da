/** Name of the experiment that a client means by the id 0. */
export const DEFAULT_EXPERIMENT = 'Default';

/** Tag that carries the name of every run, for clients that read or set it as a tag. */
export const RUN_NAME_TAG = 'mlflow.runName';
