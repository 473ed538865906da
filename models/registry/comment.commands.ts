import { randomUUID } from 'node:crypto';
import { notFound } from '../../core/errors/app-error.js';
import { audit } from '../audit/audit.commands.js';
import type { Actor } from '../audit/audit.types.js';
import type { TenantTransaction } from '../orm/transaction.js';
import { ModelComment } from './comment.entity.js';
import { type CommentRow, findComment } from './comment.queries.js';
import { keepVersion } from './version.queries.js';

/** @throws AppError not_found for an unknown version */
export async function addComment(
  tx: TenantTransaction,
  actor: Actor,
  modelName: string,
  version: number,
  body: string,
): Promise<CommentRow> {
  const found = await keepVersion(tx, modelName, version);
  if (!found) throw notFound('Model version');
  const id = randomUUID();
  const authorName = actor.fullName ?? actor.email;
  const { tenantId } = tx;
  tx.em.create(ModelComment, { id, tenantId, versionId: found.id, body, authorName, createdBy: actor.id });
  await tx.em.flush();
  await audit(tx, tenantId, actor, {
    action: 'model.comment',
    target: { kind: 'model_version', id: found.id, label: `${modelName} ${version}` },
    detail: { comment_id: id },
  });
  return (await findComment(tx, id)) as CommentRow;
}
