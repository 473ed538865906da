import { randomUUID } from 'node:crypto';
import { conflict, notFound } from '../../core/errors/app-error.js';
import type { KeyRing } from '../../core/security/key-ring.js';
import { requireLine } from '../../core/text/line-text.js';
import { audit } from '../audit/audit.commands.js';
import type { Actor } from '../audit/audit.types.js';
import { cancelSync } from './dataset-sync.commands.js';
import { keyFromName, numberedKey } from '../datasets/dataset-key.rules.js';
import type { TenantTransaction } from '../orm/transaction.js';
import { assertTokenGiven, assertTokenStays, MASKED_TOKEN, requireBaseUrl } from './external-source.rules.js';
import { findSource, lockSource, type SourceRow } from './external-source.repository.js';
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

const target = (source: { key: string; name: string }) => ({ kind: 'external_source', id: source.key, label: source.name });

const MAX_TRIES = 50;

/** Its id is made from the name. @throws AppError unprocessable_entity for a bad address, conflict when no id is free */
export async function createSource(tx: TenantTransaction, actor: Actor, keys: KeyRing, wanted: NewSource): Promise<SourceRow> {
  requireLine(wanted.name, 'name');
  assertTokenGiven(wanted.token);
  const baseUrl = requireBaseUrl(wanted.baseUrl);
  const id = randomUUID();
  const sealed = wanted.token === null ? null : sealSourceToken(keys, tx.tenantId, id, wanted.token);
  const key = await insertWithFreeKey(tx, keyFromName(wanted.name, 'source'), [id, wanted.name, baseUrl, sealed, wanted.description, wanted.enabled, actor.id]);
  await audit(tx, tx.tenantId, actor, { action: 'source.create', target: target({ key, name: wanted.name }), detail: { base_url: baseUrl, has_token: sealed !== null } });
  return (await findSource(tx, key)) as SourceRow;
}

/** The first free one of `stem`, `stem-2`, ...; whoever takes it at the same moment goes first. @throws AppError conflict */
async function insertWithFreeKey(tx: TenantTransaction, stem: string, values: readonly unknown[]): Promise<string> {
  const candidates = Array.from({ length: MAX_TRIES }, (_, at) => numberedKey(stem, at + 1));
  for (let left = MAX_TRIES; left > 0; left -= 1) {
    const [made] = await tx.query<{ key: string }>(
      `insert into external_source (tenant_id, key, id, name, base_url, sealed_token, description, enabled, created_by)
       select $1, c.key, $3, $4, $5, $6, $7, $8, $9 from unnest($2::text[]) with ordinality as c (key, place)
       where not exists (select 1 from external_source s where s.tenant_id = $1 and s.key = c.key) order by c.place limit 1
       on conflict (tenant_id, key) do nothing returning key`,
      [tx.tenantId, candidates, ...values],
    );
    if (made) return made.key;
  }
  throw conflict('No free id could be made from this name; choose another name.');
}

/** Syncs that run end as canceled when it is disabled: nothing is read from it then. @throws AppError not_found, unprocessable_entity for a bad address or a new server without its token */
export async function updateSource(tx: TenantTransaction, actor: Actor, keys: KeyRing, key: string, changes: SourceChanges): Promise<SourceRow> {
  requireLine(changes.name, 'name');
  const source = await lockSource(tx, key, 'change');
  if (!source) throw notFound('External source');
  const token = changes.token === MASKED_TOKEN ? undefined : changes.token;
  const baseUrl = changes.baseUrl === undefined ? source.base_url : requireBaseUrl(changes.baseUrl);
  assertTokenStays({ baseUrl: source.base_url, hasToken: source.sealed_token !== null }, baseUrl, token !== undefined);
  const sealed = token === undefined ? source.sealed_token : token === null ? null : sealSourceToken(keys, tx.tenantId, source.id, token);
  await tx.execute(
    `update external_source set name = coalesce($3, name), base_url = $4, sealed_token = $5, description = coalesce($6, description), enabled = coalesce($7, enabled), updated_at = now()
     where tenant_id = $1 and id = $2`,
    [tx.tenantId, source.id, changes.name ?? null, baseUrl, sealed, changes.description ?? null, changes.enabled ?? null],
  );
  if (source.enabled && changes.enabled === false) await cancelSyncs(tx, actor, await lockLinked(tx, source.id));
  const fields = Object.entries({ ...changes, token }).flatMap(([field, value]) => (value === undefined ? [] : [field === 'baseUrl' ? 'base_url' : field]));
  await audit(tx, tx.tenantId, actor, { action: 'source.update', target: target(source), detail: { fields, ...(changes.baseUrl === undefined ? {} : { base_url: baseUrl }) } });
  return (await findSource(tx, key)) as SourceRow;
}

/** Datasets that are named to whoever may not delete their source. */
const MAX_NAMED = 50;

interface LinkedDataset {
  readonly id: string;
  readonly name: string;
  readonly sync_id: string | null;
}

/**
 * Removes a source. Datasets keep their files; with `force` they lose their link, and syncs that run are cancelled: they need the source no
 * more in order to end.
 * @throws AppError not_found; conflict naming the datasets that use it, with the syncs that run, without `force`
 */
export async function deleteSource(tx: TenantTransaction, actor: Actor, key: string, force: boolean): Promise<void> {
  const source = await lockSource(tx, key, 'change');
  if (!source) throw notFound('External source');
  const linked = await lockLinked(tx, source.id);
  const named = (datasets: readonly LinkedDataset[]) => ({
    datasets: datasets.slice(0, MAX_NAMED).map(({ id, name, sync_id }) => ({ id, name, sync_id })),
    total: datasets.length,
  });
  if (linked.length > 0 && !force) throw conflict('Datasets are linked to this source; delete it with force=true to unlink them and to cancel their syncs.', named(linked));
  await cancelSyncs(tx, actor, linked);
  await tx.execute(
    'update dataset set external_source = null, updated_at = now() from dataset_source l where l.tenant_id = $1 and l.source_id = $2 and dataset.tenant_id = $1 and dataset.id = l.dataset_id',
    [tx.tenantId, source.id],
  );
  await tx.execute('delete from dataset_source where tenant_id = $1 and source_id = $2', [tx.tenantId, source.id]);
  await tx.execute('delete from external_source where tenant_id = $1 and id = $2', [tx.tenantId, source.id]);
  await audit(tx, tx.tenantId, actor, { action: 'source.delete', target: target(source), detail: { force, unlinked: named(linked) } });
}

async function cancelSyncs(tx: TenantTransaction, actor: Actor, datasets: readonly LinkedDataset[]): Promise<void> {
  for (const { id, sync_id } of datasets) if (sync_id !== null) await cancelSync(tx, actor, id, sync_id);
}

const lockLinked = (tx: TenantTransaction, sourceId: string): Promise<LinkedDataset[]> =>
  tx.query<LinkedDataset & Record<string, unknown>>(
    `select d.key as id, d.name, d.active_sync_id as sync_id from dataset d join dataset_source l on l.tenant_id = d.tenant_id and l.dataset_id = d.id
     where l.tenant_id = $1 and l.source_id = $2 order by d.id for no key update of d`,
    [tx.tenantId, sourceId],
  );
