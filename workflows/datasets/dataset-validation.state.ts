const LEAST = 500;
/** Maximum batches of a pass, of about five events each, however many files there are. */
const MAX_BATCHES = 200;

/** Files that one activity reads. */
export const batchSize = (pending: number): number => Math.max(LEAST, Math.ceil(pending / MAX_BATCHES));
