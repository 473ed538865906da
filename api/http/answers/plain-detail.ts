import type { Request } from 'express';
import type { ErrorCode } from '../../../core/errors/app-error.js';

/** What FastAPI-Users answers as `detail` where it has nothing else to say: the phrase of the status. */
const PHRASES: Partial<Readonly<Record<ErrorCode, string>>> = {
  unauthorized: 'Unauthorized',
  forbidden: 'Forbidden',
  not_found: 'Not Found',
};

const isOfAccounts = (path: string): boolean => /^\/(auth|users)(\/|$)/.test(path);

/** `detail` of a refusal that has none of its own: null, but a text where clients of FastAPI-Users look for one. */
export const plainDetail = (req: Request, code: ErrorCode): string | null =>
  isOfAccounts(req.path) ? (PHRASES[code] ?? null) : null;
