import { expireIdleUploads } from '../../models/datasets/dataset-upload.commands.js';
import type { Database } from '../../models/orm/database.js';
import type { MaintenanceTask } from '../system/maintenance.activities.js';

/** The housekeeping of datasets. */
export const createDatasetMaintenance = (database: Database): MaintenanceTask[] => [
  {
    name: 'idle-dataset-uploads',
    run: async (signal) => {
      let total = 0;
      for (let expired = 1; expired > 0 && !signal.aborted; total += expired) expired = await database.inPlatform((tx) => expireIdleUploads(tx));
      return total;
    },
  },
];
