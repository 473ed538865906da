import { createHash, randomUUID } from 'node:crypto';
import type { Logger } from '../../core/logging/logger.js';
import type { ObjectStore } from '../../core/ports/object-store.js';
import { recordOrphanedObjects } from '../../models/objects/orphaned-object.commands.js';
import type { Database } from '../../models/orm/in-tenant.js';
import { findLastSegment, type LogRow, readLogRows } from '../../models/workloads/logs/log.queries.js';
import { pause } from '../support/background.js';
import { inTenantOf, type LogRef } from '../../models/workloads/logs/log-ref.js';
import { replaceRowsBySegment } from '../../models/workloads/logs/log-segment.commands.js';

/** A segment has this much, and at most a row more. */
const SEGMENT_BYTES = 2 ** 20;
/** A store that is well takes a segment in this time. */
const PATIENCE_MS = 1_000;

export interface SealDeps {
  readonly database: Database;
  readonly objects: ObjectStore;
  readonly logger: Logger;
}

/** Moves the oldest rows of a log into the object store while there are more than 1 MiB of them. */
export class LogSeal {
  /** Where the rows begin; null: not known. */
  private sealed: number | null = null;
  /** Bytes of the whole log. */
  private stored = 0;
  private isUnderWay = false;

  constructor(
    private readonly deps: SealDeps,
    private readonly ref: LogRef,
  ) {}

  /**
   * Waits for the store a moment only: one that does not answer must not keep a host from looking after what runs. What is
   * under way then goes on, and nobody waits for it again.
   * @param stored bytes of the whole log
   */
  async seal(stored: number): Promise<void> {
    this.stored = stored;
    if (this.isUnderWay || !this.isDue) return;
    const waiting = new AbortController();
    const sealing = this.sealDue().finally(() => waiting.abort());
    await Promise.race([sealing, pause(PATIENCE_MS, waiting.signal)]);
  }

  private get isDue(): boolean {
    return this.sealed === null || this.stored - this.sealed >= SEGMENT_BYTES;
  }

  private async sealDue(): Promise<void> {
    const { database, logger } = this.deps;
    this.isUnderWay = true;
    try {
      this.sealed ??= (await inTenantOf(database, this.ref, (tx) => findLastSegment(tx, this.ref))).toByte;
      while (this.sealed !== null && this.isDue) this.sealed = await this.sealFrom(this.sealed);
    } catch (error) {
      // The rows stay; with the next piece of the log it is tried again.
      logger.warn({ err: error, [this.ref.owner]: this.ref.ownerId }, 'A segment of a log was not stored.');
    } finally {
      this.isUnderWay = false;
    }
  }

  /** @returns where the rows begin now; null when somebody else moved them meanwhile */
  private async sealFrom(sealed: number): Promise<number | null> {
    const { database, objects } = this.deps;
    const open = await inTenantOf(database, this.ref, (tx) => readLogRows(tx, this.ref, sealed));
    const fromByte = open[0]?.fromByte ?? 0;
    if (fromByte < sealed) return null;
    const rows = firstRows(open);
    const last = rows.at(-1);
    // What went before them was not kept any longer.
    if (!last) return fromByte > sealed ? fromByte : null;
    const bytes = Buffer.from(rows.map((row) => row.text).join(''));
    const objectKey = `t/${this.ref.tenantId}/log/${randomUUID()}`;
    await inTenantOf(database, this.ref, (tx) => recordOrphanedObjects(tx, [{ key: objectKey }]));
    await objects.put(objectKey, bytes, bytes.length, { contentType: 'text/plain; charset=utf-8' });
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const { toByte, sourceEnd } = last;
    await inTenantOf(database, this.ref, (tx) =>
      replaceRowsBySegment(tx, this.ref, { fromByte, toByte, sourceEnd, sha256, objectKey }),
    );
    return toByte;
  }
}

function firstRows(rows: readonly LogRow[]): LogRow[] {
  const start = rows[0]?.fromByte ?? 0;
  const end = rows.findIndex((row) => row.toByte - start >= SEGMENT_BYTES);
  return end < 0 ? [] : rows.slice(0, end + 1);
}
