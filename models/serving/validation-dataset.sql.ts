import type { TenantTransaction } from '../orm/transaction.js';

/** @param key the id people use of a dataset that goes */
export const forgetValidationDataset = (tx: TenantTransaction, key: string): Promise<number> =>
  tx.execute(
    `-- set: all endpoints that were given the dataset
     update serving_endpoint set validation_dataset_id = null, updated_at = now()
     where tenant_id = $1 and validation_dataset_id = $2`,
    [tx.tenantId, key],
  );
