import { randomUUID } from 'node:crypto';
import { LockMode } from '@mikro-orm/postgresql';
import { conflict, notFound } from '../../../core/errors/app-error.js';
import type { KeyRing } from '../../../core/security/key-ring.js';
import { requireLine } from '../../../core/text/line-text.js';
import { audit } from '../../audit/audit.commands.js';
import type { Actor } from '../../audit/audit.types.js';
import { keyFromName, numberedKey } from '../../datasets/catalog/dataset-key.rules.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { cancelSync } from '../sync/dataset-sync.commands.js';
import { ExternalSource } from './external-source.entity.js';
import { findSource, type SourceRow } from './external-source.queries.js';
import { assertTokenGiven, assertTokenStays, MASKED_TOKEN, requireBaseUrl } from './external-source.rules.js';
import { insertUnderFreeKey, type SourceValues, unlinkAllDatasets } from './external-source.sql.js';
import { sealSourceToken } from './source-token.js';

export interface NewSource {
  readonly name: string;
  readonly baseUrl: string;
  readonly token: string | null;
  readonly description: string;
  readonly enabled: boolean;
}

/** Absent: unchanged. A token of null takes it away. */
export type SourceChanges = Partial<NewSource>;

const target = (source: { key: string; name: string }) => ({
  kind: 'external_source',
  id: source.key,
  label: source.name,
});

const MAX_TRIES = 50;

/**
 * Its id is made from the name.
 * @throws AppError unprocessable_entity for a bad address, conflict when no id is free
 */
export async function createSource(
  tx: TenantTransaction,
  actor: Actor,
  keys: KeyRing,
  wanted: NewSource,
): Promise<SourceRow> {
  const { name, description, enabled, token } = wanted;
  requireLine(name, 'name');
  assertTokenGiven(token);
  const baseUrl = requireBaseUrl(wanted.baseUrl);
  const id = randomUUID();
  const sealedToken = token === null ? null : sealSourceToken(keys, tx.tenantId, id, token);
  const values = { id, name, baseUrl, sealedToken, description, enabled, createdBy: actor.id };
  const key = await insertWithFreeKey(tx, keyFromName(name, 'source'), values);
  const detail = { base_url: baseUrl, has_token: sealedToken !== null };
  await audit(tx, tx.tenantId, actor, { action: 'source.create', target: target({ key, name }), detail });
  return (await findSource(tx, key)) as SourceRow;
}

/**
 * The first free one of `stem`, `stem-2`, ...; whoever takes it at the same moment goes first.
 * @throws AppError conflict
 */
async function insertWithFreeKey(tx: TenantTransaction, stem: string, values: SourceValues): Promise<string> {
  const candidates = Array.from({ length: MAX_TRIES }, (_, at) => numberedKey(stem, at + 1));
  for (let left = MAX_TRIES; left > 0; left -= 1) {
    const key = await insertUnderFreeKey(tx, candidates, values);
    if (key !== null) return key;
  }
  throw conflict('No free id could be made from this name; choose another name.');
}

/**
 * Syncs that run end as canceled when it is disabled: nothing is read from it then.
 * @throws AppError not_found, unprocessable_entity for a bad address or a new server without its token
 */
export async function updateSource(
  tx: TenantTransaction,
  actor: Actor,
  keys: KeyRing,
  key: string,
  changes: SourceChanges,
): Promise<SourceRow> {
  requireLine(changes.name, 'name');
  const source = await lockForChange(tx, key);
  const wasEnabled = source.enabled;
  const oldTarget = target(source);
  const token = changes.token === MASKED_TOKEN ? undefined : changes.token;
  const baseUrl = changes.baseUrl === undefined ? source.baseUrl : requireBaseUrl(changes.baseUrl);
  const hasToken = Boolean(source.sealedToken);
  assertTokenStays({ baseUrl: source.baseUrl, hasToken }, baseUrl, token !== undefined);
  if (token !== undefined)
    source.sealedToken = token === null ? null : sealSourceToken(keys, tx.tenantId, source.id, token);
  source.baseUrl = baseUrl;
  source.name = changes.name ?? source.name;
  source.description = changes.description ?? source.description;
  source.enabled = changes.enabled ?? source.enabled;
  source.updatedAt = new Date();
  await tx.em.flush();
  if (wasEnabled && !source.enabled) await cancelSyncs(tx, actor, await lockLinked(tx, source.id));
  const fields = Object.entries({ ...changes, token }).flatMap(([field, value]) =>
    value === undefined ? [] : [field === 'baseUrl' ? 'base_url' : field],
  );
  const detail = { fields, ...(changes.baseUrl === undefined ? {} : { base_url: baseUrl }) };
  await audit(tx, tx.tenantId, actor, { action: 'source.update', target: oldTarget, detail });
  return (await findSource(tx, key)) as SourceRow;
}

/**
 * Locks a source against every other lock, also that of a link to it, until the transaction ends. Whoever
 * locks datasets too locks the source first.
 * @throws AppError not_found
 */
async function lockForChange(tx: TenantTransaction, key: string): Promise<ExternalSource> {
  const source = await tx.em.findOne(ExternalSource, { key }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!source) throw notFound('External source');
  return source;
}

/** Datasets that are named to whoever may not delete their source. */
const MAX_NAMED = 50;

type LinkedDataset = Awaited<ReturnType<typeof lockLinked>>[number];

/**
 * Removes a source. Datasets keep their files; with `force` they lose their link, and syncs that run are
 * cancelled: they need the source no more in order to end.
 * @throws AppError not_found; conflict naming the datasets that use it, with the syncs that run, without
 *   `force`
 */
export async function deleteSource(
  tx: TenantTransaction,
  actor: Actor,
  key: string,
  force: boolean,
): Promise<void> {
  const source = await lockForChange(tx, key);
  const linked = await lockLinked(tx, source.id);
  const named = (datasets: readonly LinkedDataset[]) => ({
    datasets: datasets
      .slice(0, MAX_NAMED)
      .map(({ key: id, name, activeSyncId }) => ({ id, name, sync_id: activeSyncId })),
    total: datasets.length,
  });
  if (linked.length > 0 && !force) {
    const message =
      'Datasets are linked to this source; delete it with force=true to unlink them and to cancel their syncs.';
    throw conflict(message, named(linked));
  }
  await cancelSyncs(tx, actor, linked);
  await unlinkAllDatasets(tx, source.id);
  await tx.em.remove(source).flush();
  const detail = { force, unlinked: named(linked) };
  await audit(tx, tx.tenantId, actor, { action: 'source.delete', target: target(source), detail });
}

async function cancelSyncs(
  tx: TenantTransaction,
  actor: Actor,
  datasets: readonly LinkedDataset[],
): Promise<void> {
  for (const { key, activeSyncId } of datasets)
    if (activeSyncId !== null) await cancelSync(tx, actor, key, activeSyncId);
}

/** Datasets that are linked to a source, locked until the transaction ends. @param sourceId row id */
const lockLinked = (tx: TenantTransaction, sourceId: string) =>
  tx.kysely
    .selectFrom('dataset as d')
    .innerJoin('dataset_source as l', (join) =>
      join.onRef('l.tenantId', '=', 'd.tenantId').onRef('l.datasetId', '=', 'd.id'),
    )
    .where('l.tenantId', '=', tx.tenantId)
    .where('l.sourceId', '=', sourceId)
    .select(['d.key', 'd.name', 'd.activeSyncId'])
    .orderBy('d.id')
    .forNoKeyUpdate('d')
    .execute();
