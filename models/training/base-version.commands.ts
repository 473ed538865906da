import { conflict } from '../../core/errors/app-error.js';
import type { TenantTransaction } from '../orm/transaction.js';
import type { BaseVersion } from '../registry/model.types.js';
import { findVersionObject, holdVersion, lockVersion } from '../registry/version.queries.js';
import type { ExperimentConfig } from './experiment.types.js';

/**
 * The version that a checked config begins with. It cannot be deleted before the transaction ends, and afterwards not as
 * long as the training that the transaction writes has not ended.
 * @returns null where the config begins with other weights, or with none
 * @throws AppError conflict when it has gone since the check
 */
export async function holdBaseVersion(
  tx: TenantTransaction,
  { pretrained }: Pick<ExperimentConfig, 'pretrained'>,
): Promise<BaseVersion | null> {
  const { enabled, source, model_name: name, version, sha256 } = pretrained;
  if (!enabled || source !== 'model' || name === null || version === null || sha256 === null) return null;
  const versionId = (await lockVersion(tx, name, version))?.id;
  if (versionId === undefined || (await findVersionObject(tx, versionId, sha256)) === null)
    throw goneBase({ name, version });
  return { versionId, name, version, sha256 };
}

/** The same for another attempt of a training. @throws AppError conflict when the version has gone since the attempt before */
export async function holdBaseAgain(tx: TenantTransaction, base: BaseVersion | null): Promise<void> {
  if (base !== null && !(await holdVersion(tx, base.versionId))) throw goneBase(base);
}

export const goneBase = ({ name, version }: Pick<BaseVersion, 'name' | 'version'>) =>
  conflict(`Version ${version} of ${name}, with whose weights this training begins, is not there any more.`);
