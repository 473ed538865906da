import { AppError, unauthorized } from '../../core/errors/app-error.js';
import { type JobClaims, readJobToken } from '../../core/security/job-token.js';
import type { KeyRing } from '../../core/security/key-ring.js';
import type { TenantTransaction } from '../../models/orm/transaction.js';
import { isTenantActive } from '../../models/tenants/tenant.queries.js';
import { findRun } from '../../models/tracker/run.queries.js';
import type { RunSummary } from '../../models/tracker/run.types.js';

const ENDED = 'The job token is not valid any more: its attempt has ended or was never started.';

/** @throws AppError unauthorized for anything that is no token of ours */
export function jobClaims(keys: KeyRing, authorization: string | undefined): JobClaims {
  const token = /^Bearer ([A-Za-z0-9._-]{20,512})$/i.exec(authorization ?? '')?.[1];
  const claims = token === undefined ? null : readJobToken(keys, token);
  if (!claims) throw unauthorized('Send the job token as "Authorization: Bearer".');
  return claims;
}

/** @throws AppError forbidden for a run of another attempt */
export function requireOwnRun(claims: JobClaims, runId: string): void {
  if (runId !== claims.runId)
    throw new AppError('forbidden', 'A job may use the run of its own attempt only.');
}

/** The run of a job's own attempt while that attempt runs. @throws AppError unauthorized once it has ended */
export async function openRun(tx: TenantTransaction, claims: JobClaims): Promise<RunSummary> {
  const run = await findRun(tx, claims.runId);
  if (!(await isTenantActive(tx)) || !run?.isJobOpen || run.trainingAttempt !== claims.attempt)
    throw unauthorized(ENDED);
  return run;
}
