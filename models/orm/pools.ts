import pg from 'pg';
import { READ_ONLY_TRANSACTION } from './errors.js';
import { ALLOW_LONG_STATEMENTS, LONG_STATEMENT_MS } from './long-statements.js';

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

/** How long the answer of a server that has ended a statement at its limit may be on its way. */
const ANSWER_MS = 5000;

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

/**
 * Kysely gives a connection back once a commit or a rollback has gone through. On a connection that was lost neither does,
 * and its place in the pool would be taken for ever.
 */
function giveBackLostConnections(pool: pg.Pool): void {
  const taken = new Set<pg.PoolClient>();
  pool.on('acquire', (client) => taken.add(client));
  pool.on('release', (_error, client) => taken.delete(client));
  pool.on('connect', (client) => {
    client.once('end', () => {
      if (taken.has(client)) client.release(true);
    });
  });
}

/** After a failover connections may lead to the server that was the primary before; the next one finds the new primary. */
function endReadOnlyConnections(pool: pg.Pool): void {
  const readOnly = new WeakSet<pg.PoolClient>();
  pool.on('connect', (client) => {
    client.connection.on('errorMessage', ({ code }: pg.DatabaseError) => {
      if (code === READ_ONLY_TRANSACTION) readOnly.add(client);
    });
  });
  pool.on('release', (_error, client) => {
    if (readOnly.has(client)) void client.end();
  });
}

type Send = (text: string, values?: unknown[]) => Promise<pg.QueryResult>;

/**
 * Ends the connection of a statement that is not answered, though the server would have ended it at its limit. The kernel
 * repeats what was sent to a machine that is gone for a quarter of an hour (`net.ipv4.tcp_retries2`).
 */
function endUnanswered(pool: pg.Pool, limitMs: number): void {
  const limits = new WeakMap<pg.PoolClient, number>();
  pool.on('acquire', (client) => limits.delete(client));
  pool.on('connect', (client) => {
    const send: Send = (...sent) => (pg.Client.prototype.query as Send).apply(client, sent);
    const query: Send = async (text, values) => {
      if (text === ALLOW_LONG_STATEMENTS) limits.set(client, LONG_STATEMENT_MS);
      const end = () =>
        client.connection.stream.destroy(new Error('Connection terminated: no answer in time'));
      const timer = setTimeout(end, (limits.get(client) ?? limitMs) + ANSWER_MS);
      try {
        return await send(text, values);
      } finally {
        clearTimeout(timer);
      }
    };
    Object.assign(client, { query });
  });
}
