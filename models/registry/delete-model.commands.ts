import { notFound } from '../../core/errors/app-error.js';
import { audit } from '../audit/audit.commands.js';
import type { Actor } from '../audit/audit.types.js';
import { removeImagesOfVersions } from '../images/remove-images.commands.js';
import { freeObjects } from '../objects/loose-object.repository.js';
import type { TenantTransaction } from '../orm/transaction.js';
import { endpointsOfVersions } from '../serving/endpoint.repository.js';
import type { Stage } from './model.types.js';
import { assertUnused, usersOf } from './stage.rules.js';

interface Doomed {
  id: string;
  version: number;
  stage: Stage;
}

/**
 * Removes one version with its image. Its files go as soon as neither a run nor another version refers to them.
 * @throws AppError not_found; conflict with `detail.users` while it is in Production or served
 */
export async function deleteVersion(tx: TenantTransaction, actor: Actor, modelName: string, version: number): Promise<void> {
  const modelId = await lockModel(tx, modelName);
  const versions = await tx.query<Doomed>('select id, version, stage from model_version where tenant_id = $1 and model_id = $2 and version = $3 for update', [
    tx.tenantId,
    modelId,
    version,
  ]);
  const [found] = versions;
  if (!found) throw notFound('Model version');
  await removeVersions(tx, versions);
  await tx.execute('update model set updated_at = now() where tenant_id = $1 and id = $2', [tx.tenantId, modelId]);
  await audit(tx, tx.tenantId, actor, { action: 'model.version_delete', target: { kind: 'model_version', id: found.id, label: `${modelName} ${version}` } });
}

/** Removes a model with all its versions and its stage history. @throws AppError as `deleteVersion` */
export async function deleteModel(tx: TenantTransaction, actor: Actor, modelName: string): Promise<void> {
  const modelId = await lockModel(tx, modelName);
  const versions = await tx.query<Doomed>('select id, version, stage from model_version where tenant_id = $1 and model_id = $2 order by version for update', [
    tx.tenantId,
    modelId,
  ]);
  await removeVersions(tx, versions);
  await tx.execute('delete from model where tenant_id = $1 and id = $2', [tx.tenantId, modelId]);
  await audit(tx, tx.tenantId, actor, {
    action: 'model.delete',
    target: { kind: 'model', id: modelId, label: modelName },
    detail: { versions: versions.map((version) => version.version) },
  });
}

async function lockModel(tx: TenantTransaction, name: string): Promise<string> {
  const rows = await tx.query<{ id: string }>('select id from model where tenant_id = $1 and name = $2 for update', [tx.tenantId, name]);
  if (!rows[0]) throw notFound('Model');
  return rows[0].id;
}

async function removeVersions(tx: TenantTransaction, versions: readonly Doomed[]): Promise<void> {
  const ids = versions.map((version) => version.id);
  // Whoever creates an endpoint reads the image under a lock on it: after this either it is seen here, or it sees nothing.
  await tx.query('select id from image where tenant_id = $1 and model_version_id = any($2) order by id for update', [tx.tenantId, ids]);
  assertUnused(usersOf(versions, await endpointsOfVersions(tx, ids)));
  await removeImagesOfVersions(tx, ids);
  const files = await tx.query<{ object_key: string }>('select distinct object_key from model_version_file where tenant_id = $1 and version_id = any($2)', [tx.tenantId, ids]);
  await tx.execute('delete from model_version where tenant_id = $1 and id = any($2)', [tx.tenantId, ids]);
  // What a run or another version still refers to stays.
  const unused = await tx.query<{ key: string }>(
    `select key from unnest($2::text[]) as k (key)
     where not exists (select 1 from run_artifact a where a.tenant_id = $1 and a.object_key = k.key) and not exists (select 1 from model_version_file f where f.tenant_id = $1 and f.object_key = k.key)`,
    [tx.tenantId, files.map((file) => file.object_key)],
  );
  await freeObjects(tx, unused);
}
