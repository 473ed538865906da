import type { CommentRow } from '../../models/registry/comment.queries.js';
import type { CommentOut } from './comments.schemas.js';

export const toCommentOut = (comment: CommentRow): CommentOut => ({
  id: comment.id,
  body: comment.body,
  author_name: comment.authorName,
  created_at: comment.createdAt.toISOString(),
  updated_at: comment.updatedAt.toISOString(),
  created_by: comment.createdBy,
});
