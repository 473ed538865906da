import { badRequest, notFound } from '../../../core/errors/app-error.js';
import { audit } from '../../../models/audit/audit.commands.js';
import type { Actor } from '../../../models/audit/audit.types.js';
import type { TenantTransaction } from '../../../models/orm/transaction.js';
import { artifactPrefix, putArtifact } from '../../../models/tracker/artifact.commands.js';
import { findArtifact } from '../../../models/tracker/artifact.queries.js';
import { findLoggedModel } from '../../../models/tracker/logged-models/logged-model.queries.js';
import { putModelArtifact } from '../../../models/tracker/logged-models/model-artifact.commands.js';
import { findModelArtifact } from '../../../models/tracker/logged-models/model-artifact.queries.js';
import type { FileOwner } from '../../../models/tracker/register/file-owner.queries.js';
import type { RunArtifact } from '../../../models/tracker/run.types.js';
import { findRunForFiles } from '../../../models/tracker/runs/active-run.queries.js';
import type { ArtifactOwner } from '../../tracker/artifact-intake.js';
import type { TrackerCaller } from '../protocol/tracker-callers.js';
import type { ArtifactPlace } from './artifact-place.rules.js';

/** A run or a logged model to which a client adds files. */
export interface ClientArtifactOwner extends ArtifactOwner {
  /** The file that is there, or null. */
  find(tx: TenantTransaction, row: number, path: string): Promise<RunArtifact | null>;
}

/** Who takes the files of a place in. @throws AppError bad_request for a registered version */
export function artifactOwner(
  { tenant, actor }: TrackerCaller,
  { id, kind, path }: ArtifactPlace,
): ClientArtifactOwner {
  const { tenantId } = tenant;
  if (kind === 'version') throw badRequest('The files of a registered version do not change.');
  return {
    tenantId,
    kind,
    prefix: kind === 'run' ? artifactPrefix(tenantId, id) : `t/${tenantId}/logged-model/${id}`,
    row: (tx) => rowForFiles(tx, { kind, id, path }),
    find: kind === 'run' ? findArtifact : findModelArtifact,
    async put(tx, row, artifact) {
      const replaced = await (kind === 'run' ? putArtifact : putModelArtifact)(tx, row, artifact);
      if (replaced !== null) await auditFiles(tx, actor, 'artifact_replace', { kind, id, path });
      return replaced;
    },
  };
}

/** The short id of what a person's client changes the files of. @throws AppError not_found, forbidden, bad_request */
export async function rowForFiles(
  tx: TenantTransaction,
  { kind, id, path }: Omit<ArtifactPlace, 'kind'> & { readonly kind: FileOwner },
): Promise<number> {
  return kind === 'run' ? (await findRunForFiles(tx, id, path)).row : rowOfModel(tx, id);
}

/** What was there before has gone. @param path '' for all files */
export const auditFiles = (
  tx: TenantTransaction,
  actor: Actor,
  change: 'artifact_replace' | 'artifacts_delete',
  of: { readonly kind: FileOwner; readonly id: string; readonly path: string; readonly count?: number },
): Promise<void> => {
  const owner = of.kind === 'run' ? 'run' : 'logged_model';
  return audit(tx, tx.tenantId, actor, {
    action: `${owner}.${change}`,
    target: { kind: owner, id: of.id },
    detail: { path: of.path, ...(of.count === undefined ? {} : { count: of.count }) },
  });
};

/** @throws AppError not_found */
export async function rowOfModel(tx: TenantTransaction, modelId: string): Promise<number> {
  const model = await findLoggedModel(tx, modelId);
  if (!model) throw notFound('Logged model');
  return model.row;
}
