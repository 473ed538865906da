import type { Request, RequestHandler } from 'express';
import { AppError } from '../../../core/errors/app-error.js';
import { contentLength } from './chunk-body.js';

export interface BodyLimit {
  readonly maxBytes: number;
  /** What the refusal of a larger body says. */
  readonly tooLarge: string;
}

/** @throws AppError payload_too_large, by the stated length alone, for a body that would be refused once it was read */
export function requireWithin(req: Request, { maxBytes, tooLarge }: BodyLimit): void {
  if ((contentLength(req) ?? 0) > maxBytes)
    throw new AppError('payload_too_large', tooLarge, { max_bytes: maxBytes });
}

/** The same for calls whose bodies are no files. */
export const withinLimit =
  (maxBytes: number): RequestHandler =>
  (req, _res, next) => {
    requireWithin(req, { maxBytes, tooLarge: 'The request body is larger than this call takes.' });
    next();
  };
