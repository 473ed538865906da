import { AppError } from '../../core/errors/app-error.js';
import type { ObjectStore } from '../../core/ports/object-store.js';
import type { TenantId } from '../../core/security/ids.js';
import { digestObject } from '../../models/objects/object-reader.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { TenantTransaction } from '../../models/orm/transaction.js';
import type { ModelFile } from '../../models/registry/model.types.js';
import {
  checkArtifact,
  checkSmoke,
  checkStage,
  checkVersion,
} from '../../models/registry/promotion/promotion-check.rules.js';
import type { PromotionCheck, PromotionRow } from '../../models/registry/promotion/promotion.types.js';
import { findVersion, listVersionFiles } from '../../models/registry/version.queries.js';
import { smokesOfVersion } from '../../models/serving/endpoint.queries.js';
import { findKpiTargets } from '../../models/tenants/tenant.queries.js';

export interface CheckDeps {
  readonly database: Database;
  readonly objects: ObjectStore;
}

/** Every machine check of a promotion, in the order in which people read them. No transaction is open while bytes flow. */
export async function checkPromotion(
  { database, objects }: CheckDeps,
  tenantId: TenantId,
  { modelName, version }: PromotionRow,
  signal: AbortSignal,
): Promise<PromotionCheck[]> {
  const facts = await database.inTenant(tenantId, (tx) => readFacts(tx, modelName, version));
  if (!facts) return [checkVersion(modelName, version, false)];
  const { found, files, smokes, targets } = facts;
  return [
    checkVersion(modelName, version, true),
    checkArtifact(files.length, await findDamage(objects, files, signal)),
    checkStage(found.stage),
    checkSmoke(smokes, targets),
  ];
}

async function readFacts(tx: TenantTransaction, modelName: string, version: number) {
  const found = await findVersion(tx, modelName, version);
  if (!found) return null;
  const files = await listVersionFiles(tx, found.id);
  return { found, files, smokes: await smokesOfVersion(tx, found.id), targets: await findKpiTargets(tx) };
}

/** @returns what is wrong with the first damaged file, in words; null when every byte is as registered */
async function findDamage(
  objects: ObjectStore,
  files: readonly ModelFile[],
  signal: AbortSignal,
): Promise<string | null> {
  if (files.length === 0) return 'The version has no files.';
  for (const file of files) {
    const sha256 = await digestOf(objects, file, signal);
    if (sha256 === null) return `The file ${file.path} cannot be read: its object is gone from the store.`;
    if (sha256 !== file.sha256) return `The file ${file.path} is not as registered: its sha256 is ${sha256}.`;
  }
  return null;
}

/** Null for an object that is gone; a store that is away is the platform's trouble, and waited for. */
async function digestOf(
  objects: ObjectStore,
  { objectKey }: ModelFile,
  signal: AbortSignal,
): Promise<string | null> {
  try {
    return (await digestObject(objects, objectKey, signal)).sha256;
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return null;
    throw error;
  }
}
