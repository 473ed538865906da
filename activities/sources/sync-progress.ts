import type { PartInfo } from '../../core/ports/object-store.js';
import type { TenantId } from '../../core/security/ids.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { TenantTransaction } from '../../models/orm/transaction.js';
import type { SyncFinding } from '../../models/sources/sync/dataset-sync.types.js';
import { keepEntryMultipart } from '../../models/sources/sync/sync-copy.commands.js';
import {
  type EntryResult,
  keepEntryParts,
  type PutOff,
  putOffEntries,
  recordResults,
  type SyncEntry,
  takeEntries,
  type Wanted,
} from '../../models/sources/sync/sync-copy.sql.js';
import { hasOpenEntries } from '../../models/sources/sync/sync-entry.queries.js';
import {
  addFindings,
  recordSourceAway,
  recordSourceBack,
} from '../../models/sources/sync/sync-row.commands.js';

/** What became of files since the last report. */
export interface CopyReport {
  readonly results: readonly EntryResult[];
  /** Why the failed results failed. */
  readonly errors: readonly SyncFinding[];
  readonly putOff: readonly PutOff[];
  /** Files that could not be copied since the last one that could. */
  readonly failedInARow: number;
}

/** How far one sync has come, in its rows. Each call is a short transaction of its own. */
export class SyncProgress {
  constructor(
    private readonly database: Database,
    private readonly tenantId: TenantId,
    private readonly syncId: string,
  ) {}

  takeFiles(wanted: Wanted): Promise<SyncEntry[]> {
    return this.inTenant((tx) => takeEntries(tx, this.syncId, wanted));
  }

  hasOpenFiles(): Promise<boolean> {
    return this.inTenant((tx) => hasOpenEntries(tx, this.syncId));
  }

  report({ results, errors, putOff, failedInARow }: CopyReport): Promise<void> {
    return this.inTenant(async (tx) => {
      await recordResults(tx, this.syncId, results, failedInARow);
      await putOffEntries(tx, this.syncId, putOff);
      await addFindings(tx, this.syncId, 'error', { count: errors.length, listed: errors });
      if (results.length > errors.length) await recordSourceBack(tx, this.syncId);
    });
  }

  /** Keeps the id of a multipart upload for a repeat. @returns the one that counts */
  keepMultipart(position: number, id: string): Promise<string> {
    return this.inTenant((tx) => keepEntryMultipart(tx, this.syncId, position, id));
  }

  /** Keeps how far a copy in parts has come. */
  keepParts(position: number, parts: readonly PartInfo[]): Promise<void> {
    return this.inTenant(async (tx) => {
      await keepEntryParts(tx, this.syncId, position, parts);
      await recordSourceBack(tx, this.syncId);
    });
  }

  /**
   * Keeps that the source is away, and why in words for people.
   * @returns how often that was in a row, and since how many milliseconds
   */
  sourceAway(message: string): Promise<{ tries: number; awayMs: number }> {
    return this.inTenant((tx) => recordSourceAway(tx, this.syncId, `${message} Trying again.`));
  }

  private inTenant<T>(work: (tx: TenantTransaction) => Promise<T>): Promise<T> {
    return this.database.inTenant(this.tenantId, work);
  }
}
