/** A run that has grown this long goes on as a new one. */
export const MAX_EVENTS = 1500;
/** A sync that waits for others of its tenant asks so often whether it is its turn. */
export const TURN_EVERY_MS = 5000;
const LEAST = 500;
/** A sync has at most so many batches, of about six events each, however many files there are. */
const MAX_BATCHES = 200;

/** Files that one activity copies. */
export const batchSize = (files: number): number => Math.max(LEAST, Math.ceil(files / MAX_BATCHES));
