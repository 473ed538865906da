import { announceAuthChange } from '../../models/access/auth-change.js';
import { removeAuditRanges } from '../../models/audit/audit-seal.sql.js';
import { AuditSealing } from '../../models/audit/audit-sealing.platform.js';
import { leaseRemovalsOf, retireBlobsOfTenant } from '../../models/images/image-blob.sql.js';
import type { PlatformTransaction } from '../../models/orm/transaction.js';
import { tableCount } from '../../models/tenants/erasure-counts.rules.js';
import { AUDIT_TABLE, IMAGE_TABLES, listPlainTables } from '../../models/tenants/erasure-survey.platform.js';
import type { TenantTable } from '../../models/tenants/erased-tables.rules.js';
import {
  countRows,
  eraseRows,
  eraseRowsOfPages,
  listTenantTables,
  unlinkRows,
} from '../../models/tenants/erasure-tables.sql.js';
import { lockTenant, removeTenantRow } from '../../models/tenants/tenant.commands.platform.js';
import { removeLeasedBlobs } from '../images/image-sweep.platform.js';
import { pause } from '../support/background.js';
import type { Eraser, ErasureStep } from './erasure-step.platform.js';

const BATCH = 5000;
/** 64 MiB of a table without an index by tenant. */
const PAGES = 8192;
const RANGES = 1000;
const BLOBS = 20;
const SEALED_BY_MS = 500;

export const removeRows: Eraser = async (step) => {
  const tables = await listPlainTables(step.database);
  for (const table of tables) await unlink(step, table);
  for (const table of tables) await eraseTable(step, table);
};

async function unlink(step: ErasureStep, table: TenantTable): Promise<void> {
  for (let emptied = BATCH; emptied === BATCH; ) {
    step.signal.throwIfAborted();
    emptied = await step.transact((tx) => unlinkRows(tx, table, step.tenantId, BATCH));
  }
}

/** One table, batch by batch; each batch and its count are one transaction. */
export async function eraseTable(step: ErasureStep, table: TenantTable): Promise<void> {
  if (table.isIndexed || table.isPartitioned) {
    for (let erased = BATCH; erased === BATCH; )
      erased = await counted(step, table, (tx) => eraseRows(tx, table, step.tenantId, BATCH));
    return;
  }
  for (let page = 0; page < table.pages; page += PAGES)
    await counted(step, table, (tx) => eraseRowsOfPages(tx, table, step.tenantId, page, page + PAGES));
}

async function counted(
  step: ErasureStep,
  table: TenantTable,
  erase: (tx: PlatformTransaction) => Promise<number>,
): Promise<number> {
  step.signal.throwIfAborted();
  return step.transact(async (tx) => {
    const erased = await erase(tx);
    if (erased > 0) await step.advance(tx, () => ({ counts: { [tableCount(table.name)]: erased } }));
    return erased;
  });
}

/** Rows of the registry, then the bytes of blobs that no other tenant has. */
export const removeImages: Eraser = async (step) => {
  const tables = (await step.transact(listTenantTables)).filter(
    (table) => IMAGE_TABLES.includes(table.name) && table.name !== 'image_blob',
  );
  for (const table of tables) await eraseTable(step, table);
  for (let forgotten = BLOBS; forgotten === BLOBS; ) forgotten = await retireBlobs(step);
  await removeBlobsOf(step);
};

async function retireBlobs(step: ErasureStep): Promise<number> {
  step.signal.throwIfAborted();
  return step.transact(async (tx) => {
    const { forgotten, freed, freedBytes } = await retireBlobsOfTenant(
      tx,
      step.tenantId,
      step.deletionId,
      BLOBS,
    );
    if (forgotten > 0)
      await step.advance(tx, () => ({
        counts: { [tableCount('image_blob')]: forgotten, image_blobs: freed, image_blob_bytes: freedBytes },
      }));
    return forgotten;
  });
}

/** Removes the bytes of the blobs that this deletion has recorded. */
export async function removeBlobsOf(step: ErasureStep): Promise<void> {
  const removeSome = () =>
    removeLeasedBlobs(step.database, step.objects, (tx) => leaseRemovalsOf(tx, step.deletionId, BLOBS));
  do step.signal.throwIfAborted();
  while ((await removeSome()) > 0);
}

/** Whole sealed ranges; what is not sealed yet is sealed first. */
export const removeAudit: Eraser = async (step) => {
  const sealing = new AuditSealing(step.database);
  for (;;) {
    step.signal.throwIfAborted();
    await sealing.pass();
    for (let ranges = RANGES; ranges === RANGES; ) ranges = await removeRanges(step);
    if ((await step.transact((tx) => countRows(tx, { name: AUDIT_TABLE }, step.tenantId))) === 0) break;
    await pause(SEALED_BY_MS, step.signal);
  }
};

async function removeRanges(step: ErasureStep): Promise<number> {
  step.signal.throwIfAborted();
  return step.transact(async (tx) => {
    const { ranges, entries } = await removeAuditRanges(tx, step.tenantId, null, RANGES);
    if (entries > 0) await step.advance(tx, () => ({ counts: { [tableCount(AUDIT_TABLE)]: entries } }));
    return ranges;
  });
}

/** The tenant's own row, with whatever a request that was under way may have added since the rows went. */
export const removeTenant: Eraser = async (step) => {
  const tables = await listPlainTables(step.database);
  await step.transact(async (tx) => {
    const tenant = await lockTenant(tx, step.tenantId);
    if (!tenant) return;
    const counts: Record<string, number> = {};
    for (const table of tables) await unlinkRows(tx, table, step.tenantId, BATCH);
    for (const table of tables) {
      const late = await eraseRows(tx, table, step.tenantId, BATCH);
      if (late > 0) counts[tableCount(table.name)] = late;
    }
    await removeTenantRow(tx, tenant);
    await step.advance(tx, () => ({ counts: { ...counts, [tableCount('tenant')]: 1 } }));
    await announceAuthChange(tx, { tenantId: step.tenantId });
  });
};
