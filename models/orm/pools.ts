import pg from 'pg';
import { READ_ONLY_TRANSACTION } from './errors.js';

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
 * within half a minute; what is sent to it afterwards waits for as long as the kernel repeats it (`net.ipv4.tcp_retries2`).
 */
export const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

/** How each role's pool speaks to the database. Timeouts of statements are set in each transaction, not at the connection. */
export const connectionOptions = (clientUrl: string, applicationName: string, max: number) => ({
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
