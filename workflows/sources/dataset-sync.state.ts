import type { SyncTurn } from '../../models/sources/sync/dataset-sync-work.types.js';

/** The first that waits for others of its tenant asks so often whether it is its turn. */
const TURN_EVERY_MS = 5000;
const LONGEST_TURN_MS = 60_000;

/** Those further behind ask less often, or hundreds of them would keep the database busy. */
export const turnPauseMs = (turn: Exclude<SyncTurn, true>): number =>
  Math.min(TURN_EVERY_MS * (1 + (turn === false ? 0 : turn.ahead) / 2), LONGEST_TURN_MS);

/**
 * Files that one activity copies at most; it ends earlier when its time is over. Each batch costs the workflow about six events and
 * leaves the line to the source idle for a moment.
 */
export const BATCH_FILES = 20_000;
