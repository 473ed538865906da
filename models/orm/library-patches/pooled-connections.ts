import pg from 'pg';
import { READ_ONLY_TRANSACTION } from '../errors.js';
import { ALLOW_LONG_STATEMENTS, LONG_STATEMENT_MS } from '../long-statements.js';

/** How long the answer of a server that has ended a statement at its limit may be on its way. */
const ANSWER_MS = 5000;

/**
 * Kysely gives a connection back once a commit or a rollback has gone through. On a connection that was lost neither does,
 * and its place in the pool would be taken for ever.
 */
export function giveBackLostConnections(pool: pg.Pool): void {
  const taken = new Set<pg.PoolClient>();
  pool.on('acquire', (client) => taken.add(client));
  pool.on('release', (_error, client) => taken.delete(client));
  pool.on('connect', (client) => {
    client.once('end', () => {
      if (!taken.has(client)) return;
      client.release(true);
      // Whoever has it gives it back all the same; the pool's own error at that would hide what the statement met.
      client.release = () => undefined;
    });
  });
}

/** After a failover connections may lead to the server that was the primary before; the next one finds the new primary. */
export function endReadOnlyConnections(pool: pg.Pool): void {
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
export function endUnanswered(pool: pg.Pool, limitMs: number): void {
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
