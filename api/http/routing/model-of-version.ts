import { fieldError, unprocessable } from '../../../core/errors/app-error.js';

/** @throws AppError unprocessable_entity for a version without the model that it is of */
export function assertModelOfVersion(query: { readonly model?: string; readonly version?: number }): void {
  if (query.version !== undefined && query.model === undefined)
    throw unprocessable([fieldError(['query', 'model'], 'must be given where a version is')]);
}
