/** Where the log of an ended training attempt lies among the artifacts of its run. */
export const LOG_ARTIFACT = 'logs/train.log';
