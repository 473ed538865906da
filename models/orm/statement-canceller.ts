import { type DirectPool, directPool } from './direct-connection.js';
import type { Transaction } from './transaction.js';

const ANSWER_TIMEOUT_MS = 5000;

export interface CancellerOptions {
  readonly connectionString: string;
  readonly applicationName: string;
  readonly max: number;
}

/**
 * Cancels statements that nobody waits for any more. Behind a pooler a connection neither knows nor reaches the
 * server's process, so this reads the backend pid in the transaction and cancels it over a direct connection.
 */
export class StatementCanceller {
  private readonly pool: DirectPool;

  constructor({ connectionString, applicationName, max }: CancellerOptions) {
    this.pool = directPool({
      connectionString,
      application_name: applicationName,
      max,
      query_timeout: ANSWER_TIMEOUT_MS,
    });
  }

  /**
   * From now on the statement under way in the transaction ends once `signal` is aborted.
   * @returns to be awaited before the transaction ends: from then on the process may work for somebody else
   */
  async watch(tx: Transaction, signal: AbortSignal): Promise<() => Promise<void>> {
    const [backend] = await tx.query<{ pid: number }>('select pg_backend_pid() as pid');
    let cancelling = Promise.resolve();
    const cancel = () => {
      cancelling = this.cancel(backend?.pid);
    };
    if (signal.aborted) cancel();
    signal.addEventListener('abort', cancel, { once: true });
    return () => {
      signal.removeEventListener('abort', cancel);
      return cancelling;
    };
  }

  close(): Promise<void> {
    return this.pool.end();
  }

  /** A statement that cannot be cancelled runs until its timeout. */
  private async cancel(pid: number | undefined): Promise<void> {
    await this.pool.query('select pg_cancel_backend($1)', [pid]).catch(() => undefined);
  }
}
