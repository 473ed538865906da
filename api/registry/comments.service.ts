import { notFound } from '../../core/errors/app-error.js';
import type { Database } from '../../models/orm/in-tenant.js';
import { addComment } from '../../models/registry/comment.commands.js';
import { type CommentRow, listComments } from '../../models/registry/comment.queries.js';
import { findVersion } from '../../models/registry/version.queries.js';
import type { Caller } from '../http/routing/request-context.js';

/** What people write about versions. */
export class CommentsService {
  constructor(private readonly db: Database) {}

  list(
    caller: Caller,
    name: string,
    version: number,
  ): Promise<{ items: readonly CommentRow[]; total: number }> {
    return this.db.inTenant(caller.tenant.tenantId, async (tx) => {
      const found = await findVersion(tx, name, version);
      if (!found) throw notFound('Model version');
      return listComments(tx, found.id);
    });
  }

  add(caller: Caller, name: string, version: number, body: string): Promise<CommentRow> {
    return this.db.inTenant(caller.tenant.tenantId, (tx) =>
      addComment(tx, caller.actor, name, version, body),
    );
  }
}
