import { conflict } from '../../../core/errors/app-error.js';
import { requireLine } from '../../../core/text/line-text.js';
import { audit } from '../../audit/audit.commands.js';
import type { Actor } from '../../audit/audit.types.js';
import { anyOf } from '../../orm/any-of.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { requestRevalidation, lockDataset } from './dataset-change.commands.js';
import { Dataset } from './dataset.entity.js';
import { highestNumber, insertDataset } from './dataset.sql.js';
import type { NewDataset } from './new-dataset.types.js';
import { keyFromName, numberedKey } from './dataset-key.rules.js';
import { isTabular } from '../validation/sample.rules.js';

const target = (dataset: { key: string; name: string }) => ({
  kind: 'dataset',
  id: dataset.key,
  label: dataset.name,
});

/** Where a dataset's files come from unless its maker says so. */
const DEFAULT_SOURCE = 'upload';

/** @throws AppError conflict when the id is taken */
export async function createDataset(tx: TenantTransaction, actor: Actor, dataset: NewDataset): Promise<void> {
  requireLine(dataset.name, 'name');
  if (!(await insertDataset(tx, actor, { ...dataset, source: dataset.source ?? DEFAULT_SOURCE })))
    throw conflict('A dataset with this id exists already; choose another id.', { id: dataset.key });
  await audit(tx, tx.tenantId, actor, { action: 'dataset.create', target: target(dataset) });
}

const MAX_TRIES = 50;

/**
 * Creates an empty dataset whose id is made from its name.
 * @param detail what its audit row records beside that, where more than the dataset is made in this transaction
 * @returns the id
 */
export async function createDraft(
  tx: TenantTransaction,
  actor: Actor,
  draft: { name: string; modality: string; source?: string },
  detail: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  requireLine(draft.name, 'name');
  const stem = keyFromName(draft.name);
  for (const key of await freeKeys(tx, stem)) {
    const dataset = {
      ...draft,
      source: draft.source ?? DEFAULT_SOURCE,
      key,
      schemaVersion: null,
      recordCount: 0,
      sizeBytes: 0,
      format: isTabular(draft.modality) ? 'tabular' : 'images',
      keyFields: [],
      variables: [],
      storageUri: null,
      validationStatus: 'PENDING' as const,
      validation: null,
    };
    if (!(await insertDataset(tx, actor, dataset))) continue;
    await audit(tx, tx.tenantId, actor, {
      action: 'dataset.create',
      target: target(dataset),
      detail: { draft: true, ...detail },
    });
    return key;
  }
  throw conflict('No free id could be made from this name; create the dataset with an id of your own.');
}

/** Ids that nobody has: the first few free numbers, then those after the highest one in use. At most MAX_TRIES. */
async function freeKeys(tx: TenantTransaction, stem: string): Promise<string[]> {
  const near = numbersFrom(1).map((n) => numberedKey(stem, n));
  const taken = await tx.kysely
    .selectFrom('dataset')
    .select('key')
    .where('tenantId', '=', tx.tenantId)
    .where('key', '=', anyOf(near))
    .execute();
  const used = new Set(taken.map((row) => row.key));
  const free = near.filter((key) => !used.has(key));
  if (free.length > MAX_TRIES / 2) return free;
  const highest = await highestNumber(tx, stem);
  const beyond = numbersFrom(Math.max(highest, MAX_TRIES) + 1).map((n) => numberedKey(stem, n));
  return [...free, ...beyond].slice(0, MAX_TRIES);
}

const numbersFrom = (first: number): number[] => Array.from({ length: MAX_TRIES }, (_, at) => first + at);

export interface DatasetChanges {
  readonly name?: string;
  readonly source?: string;
  readonly modality?: string;
}

/** Changes what people call it; files and frozen state stay. @throws AppError not_found */
export async function updateDataset(
  tx: TenantTransaction,
  actor: Actor,
  key: string,
  changes: DatasetChanges,
): Promise<void> {
  requireLine(changes.name, 'name');
  const { id } = await lockDataset(tx, key);
  const dataset = await tx.em.findOneOrFail(Dataset, { id }, { refresh: true });
  const { name = dataset.name, source = dataset.source, modality = dataset.modality } = changes;
  Object.assign(dataset, { name, source, modality, updatedAt: new Date() });
  await tx.em.flush();
  await audit(tx, tx.tenantId, actor, {
    action: 'dataset.update',
    target: target(dataset),
    detail: { fields: Object.keys(changes) },
  });
}

/** Reads and validates all files again, or the annotation files alone, at once. @returns the row id @throws AppError not_found; conflict when there are none */
export async function revalidateDataset(
  tx: TenantTransaction,
  actor: Actor,
  key: string,
  which: 'all' | 'annotations',
): Promise<string> {
  const dataset = await lockDataset(tx, key);
  // Without files there is nothing to end the validation that would be requested.
  if (dataset.fileCount === 0)
    throw conflict('The dataset has no files to validate; upload some first, which validates them too.');
  await requestRevalidation(tx, dataset, which);
  await audit(tx, tx.tenantId, actor, {
    action: which === 'all' ? 'dataset.revalidate' : 'dataset.revalidate_annotations',
    target: target(dataset),
  });
  return dataset.id;
}
