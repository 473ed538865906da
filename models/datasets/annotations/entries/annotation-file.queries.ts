import type { TenantTransaction } from '../../../orm/transaction.js';

/** Annotation files of a dataset (`a`) with the files that they are (`f`). */
export const filesOfAnnotations = (tx: TenantTransaction, datasetId: string) =>
  tx.kysely
    .selectFrom('dataset_annotation_file as a')
    .innerJoin('dataset_file as f', (join) =>
      join.onRef('f.tenantId', '=', 'a.tenantId').onRef('f.id', '=', 'a.fileId'),
    )
    .where('a.tenantId', '=', tx.tenantId)
    .where('a.datasetId', '=', datasetId);
