import pg from 'pg';
import {
  endReadOnlyConnections,
  endUnanswered,
  giveBackLostConnections,
} from './library-patches/pooled-connections.js';

/** Our sizes, offsets and sequence ids stay below 2^53. What is larger, such as a hash of 64 bits, keeps its digits as text. */
const int8 = (text: string): number | string => (Number.isSafeInteger(Number(text)) ? Number(text) : text);

const NUMBERS = new Map<number, (text: string) => unknown>([
  [20, int8],
  [1700, Number],
]);

const types = {
  getTypeParser: (oid: number, format: 'text' | 'binary') =>
    NUMBERS.get(oid) ?? pg.types.getTypeParser(oid, format as 'text'),
};

/**
 * A server whose machine is gone sends no end of its connections. Whoever waits for its answer finds out by these questions,
 * within half a minute. They are not asked while something that was sent to it is unacknowledged: see `endUnanswered`.
 */
export const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

/** A client whose machine was cut off sends no end of its transaction: its rows are held for no longer than this. */
const IDLE_IN_TRANSACTION_MS = 60_000;

/** Timeouts are set in each transaction, not at the connection. */
export const transactionLimits = (limitMs: number) => ({
  statement_timeout: String(limitMs),
  idle_in_transaction_session_timeout: String(IDLE_IN_TRANSACTION_MS),
});

/**
 * How each role's pool speaks to the database.
 * @param limitMs of a statement, as its transactions say it to the server (`transactionLimits`)
 */
export const connectionOptions = (
  clientUrl: string,
  applicationName: string,
  { max, limitMs }: { readonly max: number; readonly limitMs: number },
) => ({
  clientUrl,
  // Without it the name in the ORM's own options wins over that of the address.
  dbName: decodeURIComponent(new URL(clientUrl).pathname.slice(1)),
  pool: { min: 0, max, idleTimeoutMillis: 60_000 },
  driverOptions: {
    types,
    application_name: applicationName,
    connectionTimeoutMillis: 5000,
    ...KEEP_ALIVE,
    onPoolCreated: (pool: pg.Pool) => {
      giveBackLostConnections(pool);
      endReadOnlyConnections(pool);
      endUnanswered(pool, limitMs);
    },
  },
  // The pool replaces connections that the server dropped; what a statement meets is thrown to its caller.
  logger: () => undefined,
});
