import type { RequestHandler } from 'express';
import { unavailable } from '../../../core/errors/app-error.js';

const REASON =
  'The database does not have the schema of this version of the service; nothing is served until both fit again.';

/** Refuses everything while the schema is not one that this program can serve: it would answer and store nonsense. */
export const schemaGuard =
  (schema: { readonly problem: string | null }): RequestHandler =>
  (_req, _res, next) =>
    next(schema.problem === null ? undefined : unavailable(REASON, new Error(schema.problem)));
