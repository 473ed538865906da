import { expireIdleUploads } from '../../models/datasets/dataset-upload.commands.js';
import type { Database } from '../../models/orm/database.js';

/** The housekeeping of datasets. */
export const createDatasetMaintenance = (database: Database) => [
  {
    name: 'idle-dataset-uploads',
    run: async (signal: AbortSignal): Promise<number> => {
      let total = 0;
      for (let expired = 1; expired > 0 && !signal.aborted; total += expired) expired = await database.inPlatform((tx) => expireIdleUploads(tx));
      return total;
    },
  },
];
