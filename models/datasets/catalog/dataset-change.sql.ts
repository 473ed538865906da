import type { TenantTransaction } from '../../orm/transaction.js';

export interface FileChange {
  readonly datasetId: string;
  /** Added to the counters. */
  readonly files: number;
  readonly bytes: number;
  /** `new`: what came or went; the report was about other files and goes. */
  readonly recheck: 'new' | 'annotations' | 'all';
  readonly hasFiles: boolean;
  /** Quiet time before the validation begins. */
  readonly quietS: number;
  readonly attempt: number;
}

/** Writes a change of files into the locked dataset: counters, revision, back to DRAFT, and when to validate. */
export async function writeFileChange(tx: TenantTransaction, change: FileChange): Promise<void> {
  const { datasetId, files, bytes, recheck, hasFiles, quietS, attempt } = change;
  await tx.execute(
    `-- hot: with every file that comes or goes
     update dataset set revision = revision + 1, file_count = file_count + $3, file_bytes = file_bytes + $4,
       status = 'DRAFT', validation_status = 'PENDING',
       validation = case when $5 <> 'new' then validation end, version_id = null,
       recheck_all = recheck_all or $5 = 'all',
       recheck_annotations = recheck_annotations or $5 = 'annotations', validation_checked = 0,
       validate_after = case when $6 then now() + make_interval(secs => $7) end,
       validation_attempt = $8, validation_active = validation_active or $6, updated_at = now()
     where tenant_id = $1 and id = $2`,
    [tx.tenantId, datasetId, files, bytes, recheck, hasFiles, quietS, attempt],
  );
}
