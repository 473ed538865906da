import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

const AGAIN_MS = 250;
/** At rest for so long, its connection is closed. */
const IDLE_MS = 10_000;

/**
 * Ends statements over a connection of its own, opened when it is first needed: at the stop of a process those that are to
 * be cut hold every connection of the pool.
 */
export class QueryCutter {
  private readonly own: pg.Pool;

  /** @param connectionString of the role whose statements are cut */
  constructor(connectionString: string, applicationName: string) {
    this.own = new pg.Pool({ connectionString, max: 1, application_name: applicationName, connectionTimeoutMillis: 5000, idleTimeoutMillis: IDLE_MS, statement_timeout: 5000 });
    this.own.on('error', () => undefined);
  }

  /**
   * Ends the statements of a transaction once the signal is aborted. The server hears nothing between two statements, so it
   * is told again until the transaction is over.
   * @returns ends the watch; the connection may be used for something else only then
   */
  watch(client: pg.PoolClient, signal: AbortSignal): () => Promise<void> {
    const { processID } = client as pg.PoolClient & { readonly processID: number };
    const over = new AbortController();
    let cutting: Promise<void> = Promise.resolve();
    const begin = () => {
      cutting = this.cut(processID, over.signal);
    };
    if (signal.aborted) begin();
    else signal.addEventListener('abort', begin, { once: true });
    return () => {
      over.abort();
      signal.removeEventListener('abort', begin);
      return cutting;
    };
  }

  async close(): Promise<void> {
    await this.own.end();
  }

  private async cut(processID: number, over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      await this.own.query('select pg_cancel_backend($1)', [processID]).catch(() => undefined);
      await sleep(AGAIN_MS, undefined, { signal: over }).catch(() => undefined);
    }
  }
}
