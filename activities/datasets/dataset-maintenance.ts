import { SESSION_IDLE_DAYS } from '../../models/datasets/chunk.rules.js';
import { expireIdleSessions } from '../../models/datasets/upload-removal.repository.js';
import type { Database } from '../../models/orm/database.js';

const BATCH = 100;

/** The housekeeping of datasets. */
export const createDatasetMaintenance = (database: Database) => [
  {
    name: 'idle-dataset-uploads',
    run: async (signal: AbortSignal): Promise<number> => {
      let total = 0;
      for (let expired = 1; expired > 0 && !signal.aborted; total += expired) expired = await database.inPlatform((tx) => expireIdleSessions(tx, SESSION_IDLE_DAYS, BATCH));
      return total;
    },
  },
];
