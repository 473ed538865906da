import { badRequest, notFound } from '../../../core/errors/app-error.js';
import type { TenantTransaction } from '../../../models/orm/transaction.js';
import { artifactPrefix, putArtifact } from '../../../models/tracker/artifact.commands.js';
import { findArtifact } from '../../../models/tracker/artifact.queries.js';
import { findLoggedModel } from '../../../models/tracker/logged-models/logged-model.queries.js';
import { putModelArtifact } from '../../../models/tracker/logged-models/model-artifact.commands.js';
import { findModelArtifact } from '../../../models/tracker/logged-models/model-artifact.queries.js';
import type { RunArtifact } from '../../../models/tracker/run.types.js';
import { findActiveRun } from '../../../models/tracker/runs/active-run.queries.js';
import type { ArtifactOwner } from '../../tracker/artifact-intake.js';
import type { TrackerCaller } from '../protocol/tracker-callers.js';
import type { ArtifactPlace } from './artifact-place.rules.js';

/** A run or a logged model to which a client adds files. */
export interface ClientArtifactOwner extends ArtifactOwner {
  /** The file that is there, or null. */
  find(tx: TenantTransaction, row: number, path: string): Promise<RunArtifact | null>;
}

/** Who takes the files of a place in. @throws AppError bad_request for a registered version */
export function artifactOwner({ tenant }: TrackerCaller, { id, kind }: ArtifactPlace): ClientArtifactOwner {
  const { tenantId } = tenant;
  if (kind === 'version') throw badRequest('The files of a registered version do not change.');
  return {
    tenantId,
    kind,
    prefix: kind === 'run' ? artifactPrefix(tenantId, id) : `t/${tenantId}/logged-model/${id}`,
    row: async (tx) => (kind === 'run' ? (await findActiveRun(tx, id)).row : rowOfModel(tx, id)),
    find: kind === 'run' ? findArtifact : findModelArtifact,
    put: kind === 'run' ? putArtifact : putModelArtifact,
  };
}

/** @throws AppError not_found */
export async function rowOfModel(tx: TenantTransaction, modelId: string): Promise<number> {
  const model = await findLoggedModel(tx, modelId);
  if (!model) throw notFound('Logged model');
  return model.row;
}
