import { AppError, notFound, unavailable } from '../../core/errors/app-error.js';
import { saysConnectionLost } from '../../core/errors/lost-connection.js';

/** SQLSTATE classes that mean "not now": connection lost, shutdown, too many connections, out of resources. */
const UNAVAILABLE = /^(08|53|57P0)/;
/** Serialization failure and deadlock: a repeat of the request may succeed. */
const RETRYABLE = /^40/;

/** What a primary answers that has become a standby: writes belong on another server by now. */
export const READ_ONLY_TRANSACTION = '25006';

const MISSING_REFERENCE = '23503';
/** A check refuses the row: that of a constraint by its name, without one that no partition takes the row. */
const REFUSED_ROW = '23514';
/** As PostgreSQL names the reference of a table to the tenant: it breaks where the tenant was erased meanwhile. */
const OF_TENANT = /_tenant_id_fkey$/;

/** The commit was asked for and its answer was lost: whether the rows are there is not known here. */
class CommitInDoubt extends Error {
  override readonly name = 'CommitInDoubt';
}

interface DatabaseError {
  readonly code?: string;
  readonly constraint?: string;
  readonly message?: string;
}

/** Name of the constraint a statement broke, or null when the error is something else. */
export function brokenConstraint(error: unknown): string | null {
  const found = driverError(error);
  return found?.code?.startsWith('23') === true ? (found.constraint ?? '') : null;
}

/**
 * Runs a change that only one can make.
 * @param constraint the key that is broken where somebody else was first @param refusal what is thrown then
 */
export async function unlessTaken<T>(
  constraint: string,
  refusal: () => AppError,
  change: () => Promise<T>,
): Promise<T> {
  try {
    return await change();
  } catch (error) {
    throw brokenConstraint(error) === constraint ? refusal() : error;
  }
}

/** The partition of a row is missing: the worker makes those of the days to come. */
export function lacksPartition(error: unknown): boolean {
  const found = driverError(error);
  return found?.code === REFUSED_ROW && found.constraint === undefined;
}

/** Turns what the driver throws into the error vocabulary; AppErrors pass unchanged. */
export function translateDatabaseError(error: unknown): unknown {
  if (error instanceof AppError) return error;
  const found = driverError(error);
  if (!found)
    return isConnectionLoss(error)
      ? unavailable('The database cannot be reached right now; try again shortly.', error)
      : error;
  const code = found.code ?? '';
  if (UNAVAILABLE.test(code))
    return unavailable('The database is busy or restarting; try again shortly.', error);
  if (RETRYABLE.test(code)) return unavailable('Another change got in between; try again.', error, 1);
  if (code === READ_ONLY_TRANSACTION)
    return unavailable('The database takes no changes right now; try again shortly.', error);
  if (lacksPartition(error))
    return unavailable('There is no room for records of this day yet; try again shortly.', error, 60);
  if (code === '57014')
    return unavailable('The query took too long and was ended; narrow it down and try again.', error);
  if (code === MISSING_REFERENCE && OF_TENANT.test(found.constraint ?? '')) return notFound('Tenant');
  if (code === '22021' || code === '22P05')
    return new AppError(
      'unprocessable_entity',
      'A text holds a character that cannot be stored (NUL).',
      [{ loc: ['body'], msg: 'must not contain a NUL character', type: 'value_error' }],
      { cause: error },
    );
  return error;
}

/** As `translateDatabaseError`, for what COMMIT threw. */
export function translateCommitError(error: unknown): unknown {
  const code = driverError(error)?.code;
  // With a SQLSTATE of any other class the server itself says that nothing was stored.
  if (code !== undefined && !/^(08|57P0)/.test(code)) return translateDatabaseError(error);
  return unavailable(
    'The database went away while the change was being stored; look whether it is there before sending it again.',
    new CommitInDoubt('no answer to commit', { cause: error }),
  );
}

/** True when the transaction that threw this may have been committed all the same: nobody may do its work again unseen. */
export const isCommitInDoubt = (error: unknown): boolean =>
  error instanceof AppError && error.cause instanceof CommitInDoubt;

/** A digit is in each of them, and in no name that Node gives to an error, such as EPIPE. */
const SQLSTATE = /^(?=.*\d)[0-9A-Z]{5}$/;

/** What the driver says of a connection that ended, is not there in time, or broke before this statement. */
const DRIVER_LOSS = /Connection terminated|timeout exceeded when trying to connect|is not queryable/;

function driverError(error: unknown): DatabaseError | null {
  for (const cause of causesOf(error)) if (SQLSTATE.test(cause.code ?? '')) return cause;
  return null;
}

const isConnectionLoss = (error: unknown): boolean =>
  causesOf(error).some((cause) => saysConnectionLost(cause) || DRIVER_LOSS.test(cause.message ?? ''));

/** The error and what it was made of: the ORM and its callers wrap what the driver threw. */
function causesOf(error: unknown): DatabaseError[] {
  const causes: DatabaseError[] = [];
  let current: unknown = error;
  while (causes.length < 4 && current instanceof Error) {
    const cause = current as Error & DatabaseError & { previous?: unknown };
    causes.push(cause);
    current = cause.cause ?? cause.previous;
  }
  return causes;
}
