import { badRequest } from '../../../core/errors/app-error.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { MAX_TAG } from '../run-batch.rules.js';
import { Tag } from '../tag.entity.js';
import { lockActiveRun } from './client-run.commands.js';

/** Tag that lists the models of a run, for clients before 3.0. */
const HISTORY_TAG = 'mlflow.log-model.history';

/**
 * Adds a model to those that a run has logged.
 * @throws AppError not_found; bad_request for a deleted run, and where the tag has no room for one more
 */
export async function recordModel(tx: TenantTransaction, runId: string, model: object): Promise<void> {
  const run = await lockActiveRun(tx, runId);
  const tag = await tx.kysely
    .selectFrom('tag')
    .where('tenantId', '=', tx.tenantId)
    .where('run', '=', run.id)
    .where('key', '=', HISTORY_TAG)
    .select('value')
    .executeTakeFirst();
  const value = JSON.stringify([...modelsIn(tag?.value ?? '[]'), model]);
  if (value.length > MAX_TAG)
    throw badRequest(
      `The models that a run logs take at most ${MAX_TAG} characters in its tag ${HISTORY_TAG}, and these take ` +
        `${value.length}: log more models in another run.`,
    );
  await tx.em.upsert(Tag, { run: run.id, key: HISTORY_TAG, value, tenantId: tx.tenantId });
}

/** A text that is no list was set by hand: the list begins anew. */
function modelsIn(text: string): unknown[] {
  try {
    const models = JSON.parse(text) as unknown;
    return Array.isArray(models) ? models : [];
  } catch {
    return [];
  }
}
