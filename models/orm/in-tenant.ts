import { type EntityManager, MikroORM } from '@mikro-orm/postgresql';
import { unavailable } from '../../core/errors/app-error.js';
import type { TenantId } from '../../core/security/ids.js';
import { translateCommitError, translateDatabaseError } from './errors.js';
import { ormOptions } from './orm.config.js';
import { connectionOptions } from './pools.js';
import { PlatformTransaction, TenantTransaction, type Transaction } from './transaction.js';

export interface DatabaseOptions {
  /** Role visionops_app: one tenant per transaction. */
  readonly appUrl: string;
  /** Role visionops_platform: a small pool for the named platform repositories. */
  readonly platformUrl: string;
  readonly appPool: number;
  readonly platformPool: number;
  readonly applicationName: string;
  /** False takes the entity manager's filter by tenant away; for the test that row-level security holds without it. */
  readonly hasTenantFilter?: boolean;
}

/** For statements of requests; work that takes longer raises it for its transaction (`allowLongStatements`). */
const STATEMENT_TIMEOUT = '60s';

/** The only way to the rows. No transaction is left open while bytes flow: check, stream, commit. */
export class Database {
  private constructor(
    private readonly app: MikroORM,
    private readonly platform: MikroORM,
    private readonly hasTenantFilter: boolean,
  ) {}

  static async open(options: DatabaseOptions): Promise<Database> {
    const { applicationName } = options;
    // Each role has a context of its own: with a common one the fork of one role runs in the transaction of another.
    const open = (contextName: string, clientUrl: string, max: number) =>
      MikroORM.init({ ...ormOptions, contextName, ...connectionOptions(clientUrl, applicationName, max) });
    return new Database(
      await open('app', options.appUrl, options.appPool),
      await open('platform', options.platformUrl, options.platformPool),
      options.hasTenantFilter ?? true,
    );
  }

  /**
   * Runs `work` in a transaction that sees one tenant. Rolls back and rethrows when it throws.
   * @param signal ends the statement under way and rolls back: its reason is thrown; for work that takes seconds
   */
  async inTenant<T>(
    tenantId: TenantId,
    work: (tx: TenantTransaction) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const em = fork(this.app, { 'app.tenant': tenantId, statement_timeout: STATEMENT_TIMEOUT }, signal);
    // Without arguments the filter asks for nothing.
    em.setFilterParams('tenant', this.hasTenantFilter ? { tenantId } : {});
    return run(new TenantTransaction(tenantId, em, signal), work, signal);
  }

  /** Runs `work` in a transaction that sees every tenant; for files that end in `.platform.ts` alone. */
  async inPlatform<T>(work: (tx: PlatformTransaction) => Promise<T>): Promise<T> {
    const em = fork(this.platform, { statement_timeout: STATEMENT_TIMEOUT });
    em.setFilterParams('tenant', {});
    return run(new PlatformTransaction(em, undefined), work);
  }

  async ping(): Promise<void> {
    try {
      await this.app.em.getConnection().execute('select 1');
    } catch (error) {
      throw translateDatabaseError(error);
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.app.close(true), this.platform.close(true)]);
  }
}

/** @internal */
export function fork(orm: MikroORM, variables: Record<string, string>, signal?: AbortSignal): EntityManager {
  return orm.em.fork({
    disableContextResolution: true,
    session: { variables },
    ...(signal && { signal, inflightQueryAbortStrategy: 'cancel query' as const }),
  }) as EntityManager;
}

/** @internal */
export async function run<X extends Transaction, T>(
  tx: X,
  work: (tx: X) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  await begin(tx.em);
  let translate = translateDatabaseError;
  try {
    const result = await work(tx);
    await tx.em.flush();
    signal?.throwIfAborted();
    translate = translateCommitError;
    await tx.em.commit();
    tx.runAfterCommit();
    return result;
  } catch (error) {
    if (tx.em.isInTransaction()) await tx.em.rollback().catch(() => undefined);
    throw signal?.aborted && translate === translateDatabaseError ? signal.reason : translate(error);
  }
}

async function begin(em: EntityManager): Promise<void> {
  try {
    await em.begin();
  } catch (error) {
    throw unavailable('The database cannot be reached right now; try again shortly.', error);
  }
}
