import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DirectConnection, directConnection } from './direct-connection.js';

export interface AdvisoryLockOptions {
  readonly connectionString: string;
  /** Everyone who asks with the same name competes for the same lock. */
  readonly name: string;
  readonly signal: AbortSignal;
}

const ASK_EVERY_MS = 2_000;
/** A half-open connection would let two hold the lock: the holder asks the server and gives up without an answer. */
const PROBE_EVERY_MS = 5_000;
const PROBE_TIMEOUT_MS = 5_000;
/**
 * A holder whose machine was cut off sends no end of its connection, and PostgreSQL would keep the lock for hours. Longer than
 * the holder itself takes to give up.
 */
const FORGOTTEN_AFTER_MS = 20_000;

/**
 * Waits for a lock of the database and does the work while it is held. The work's signal is aborted when the caller's is or
 * when the connection, and with it the lock, is lost.
 * @throws Error when the connection cannot be made or was lost
 */
export async function holdAdvisoryLock(
  options: AdvisoryLockOptions,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const key = createHash('sha256').update(options.name).digest().readBigInt64BE(0).toString();
  const client = directConnection({
    connectionString: options.connectionString,
    application_name: 'visionops-lock',
    connectionTimeoutMillis: PROBE_TIMEOUT_MS,
    query_timeout: PROBE_TIMEOUT_MS,
  });
  const lost = new AbortController();
  client.on('error', () => lost.abort());
  client.on('end', () => lost.abort());
  await client.connect();
  const signal = AbortSignal.any([options.signal, lost.signal]);
  try {
    await client.query(`set idle_session_timeout = ${FORGOTTEN_AFTER_MS}`);
    await assertPrimary(client);
    while (!signal.aborted && !(await tryLock(client, key)))
      await sleep(ASK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    const probe = setInterval(() => void assertPrimary(client).catch(() => lost.abort()), PROBE_EVERY_MS);
    try {
      await work(signal);
    } finally {
      clearInterval(probe);
    }
    if (lost.signal.aborted && !options.signal.aborted)
      throw new Error(`The lock ${options.name} was lost with its connection.`);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** A lock on a server that takes no changes holds nobody off: the others ask the one that took its place. */
async function assertPrimary(client: DirectConnection): Promise<void> {
  const { rows } = await client.query<{ is_read_only: boolean }>(
    "select current_setting('transaction_read_only')::boolean as is_read_only",
  );
  if (rows[0]?.is_read_only !== false) throw new Error('The database takes no changes.');
}

async function tryLock(client: DirectConnection, key: string): Promise<boolean> {
  const { rows } = await client.query<{ held: boolean }>('select pg_try_advisory_lock($1::bigint) as held', [
    key,
  ]);
  return rows[0]?.held === true;
}
