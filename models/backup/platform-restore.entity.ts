import { defineEntity, p } from '@mikro-orm/core';

export const PlatformRestoreSchema = defineEntity({
  name: 'PlatformRestore',
  tableName: 'platform_restore',
  properties: {
    /** That of the audit trail, which each restore raises. */
    epoch: p.integer().primary().autoincrement(false),
    backupId: p.uuid(),
    /** The moment whose rows came back. */
    takenAt: p.datetime(),
    restoredAt: p.datetime().defaultRaw('clock_timestamp()'),
    /** When a worker had ended what had begun before the restore; null: not yet. */
    settledAt: p.datetime().nullable(),
  },
});

/** One restore of this installation from a backup. */
export class PlatformRestore extends PlatformRestoreSchema.class {}
PlatformRestoreSchema.setClass(PlatformRestore);
