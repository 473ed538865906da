import { type EntityManager, MikroORM } from '@mikro-orm/postgresql';
import { CompiledQuery } from 'kysely';
import { unavailable } from '../../core/errors/app-error.js';
import type { TenantId } from '../../core/security/ids.js';
import { translateCommitError, translateDatabaseError } from './errors.js';
import { ormOptions } from './orm.config.js';
import { connectionOptions, transactionLimits } from './pools.js';
import { StatementCanceller } from './statement-canceller.js';
import {
  AuthTransaction,
  inCamelCase,
  PlatformTransaction,
  type SqlRow,
  TenantTransaction,
  type Transaction,
} from './transaction.js';

export interface DatabaseOptions {
  /** Role visionops_app: one tenant per transaction. */
  readonly appUrl: string;
  /** Role visionops_platform: a small pool for the named platform repositories. */
  readonly platformUrl: string;
  /** As the role of appUrl past a pooler, to end statements; without it appUrl. */
  readonly directUrl?: string;
  /** Role visionops_auth; only a process that signs people in has it. */
  readonly authUrl?: string;
  readonly appPool: number;
  readonly platformPool: number;
  readonly directPool?: number;
  readonly authPool?: number;
  readonly applicationName: string;
  /** The longest that one statement may take; default STATEMENT_LIMIT_MS. */
  readonly statementLimitMs?: number;
  /** False takes the entity manager's filter by tenant away; for the test that row-level security holds without it. */
  readonly hasTenantFilter?: boolean;
  /** Given what a callback of `afterCommit` threw; default: a warning of the process. */
  readonly onCallbackError?: (error: unknown) => void;
}

/** For statements of requests; work that takes longer raises it for its transaction (`allowLongStatements`). */
const STATEMENT_LIMIT_MS = 60_000;
const DIRECT_POOL = 2;

/** The only way to the rows. No transaction is left open while bytes flow: check, stream, commit. */
export class Database {
  private constructor(
    private readonly app: MikroORM,
    private readonly platform: MikroORM,
    private readonly auth: MikroORM | null,
    private readonly canceller: StatementCanceller,
    private readonly limits: ReturnType<typeof transactionLimits>,
    private readonly hasTenantFilter: boolean,
    private readonly onCallbackError: DatabaseOptions['onCallbackError'],
  ) {}

  static async open(options: DatabaseOptions): Promise<Database> {
    const { applicationName, statementLimitMs: limitMs = STATEMENT_LIMIT_MS } = options;
    // Each role has a context of its own: with a common one the fork of one role runs in the transaction of another.
    const open = (contextName: string, clientUrl: string, max: number) => {
      const connection = connectionOptions(clientUrl, applicationName, { max, limitMs });
      return MikroORM.init({ ...ormOptions, contextName, ...connection });
    };
    return new Database(
      await open('app', options.appUrl, options.appPool),
      await open('platform', options.platformUrl, options.platformPool),
      options.authUrl === undefined ? null : await open('auth', options.authUrl, options.authPool ?? 1),
      new StatementCanceller({
        connectionString: options.directUrl ?? options.appUrl,
        applicationName: `${applicationName}-direct`,
        max: options.directPool ?? DIRECT_POOL,
      }),
      transactionLimits(limitMs),
      options.hasTenantFilter ?? true,
      options.onCallbackError,
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
    const em = fork(this.app, { 'app.tenant': tenantId, ...this.limits });
    // Without arguments the filter asks for nothing.
    em.setFilterParams('tenant', this.hasTenantFilter ? { tenantId } : {});
    const { canceller, onCallbackError } = this;
    return run(new TenantTransaction(tenantId, em, signal), work, { signal, canceller, onCallbackError });
  }

  /** Runs `work` in a transaction that sees every tenant; for files that end in `.platform.ts` alone. */
  async inPlatform<T>(work: (tx: PlatformTransaction) => Promise<T>): Promise<T> {
    const em = fork(this.platform, this.limits);
    em.setFilterParams('tenant', {});
    return run(new PlatformTransaction(em, undefined), work, { onCallbackError: this.onCallbackError });
  }

  /**
   * Runs one statement that sees every tenant, as a transaction of its own: one way to the server and back in place of four,
   * without a timeout of the server. For hot statements that wait for no lock, in files that end in `.platform.ts` alone.
   * @returns its rows, with columns in camelCase
   */
  async inPlatformOnce<R extends object>(sql: string, params: readonly unknown[]): Promise<R[]> {
    const em = this.platform.em.fork({ disableContextResolution: true }) as EntityManager;
    try {
      const { rows } = await em.getKysely().executeQuery(CompiledQuery.raw(sql, [...params]));
      return inCamelCase(rows as SqlRow[]) as R[];
    } catch (error) {
      throw translateDatabaseError(error);
    }
  }

  /** Runs `work` in a transaction that sees accounts and nothing of tenants; for files that end in `.platform.ts` alone. */
  async inAuth<T>(work: (tx: AuthTransaction) => Promise<T>): Promise<T> {
    if (this.auth === null)
      throw new Error('this process signs nobody in: it has no login as visionops_auth');
    const em = fork(this.auth, this.limits);
    em.setFilterParams('tenant', {});
    return run(new AuthTransaction(em, undefined), work, { onCallbackError: this.onCallbackError });
  }

  async ping(): Promise<void> {
    try {
      await this.app.em.getConnection().execute('select 1');
    } catch (error) {
      throw translateDatabaseError(error);
    }
  }

  async close(): Promise<void> {
    const roles = [this.app, this.platform, this.auth].map((role) => role?.close(true));
    await Promise.all([...roles, this.canceller.close()]);
  }
}

/** @internal */
export const fork = (orm: MikroORM, variables: Record<string, string>): EntityManager =>
  orm.em.fork({ disableContextResolution: true, session: { variables } }) as EntityManager;

interface RunOptions {
  /** Once it is aborted, `canceller` ends the statement under way. */
  readonly signal?: AbortSignal;
  readonly canceller?: StatementCanceller;
  readonly onCallbackError?: (error: unknown) => void;
}

/** @internal */
export async function run<X extends Transaction, T>(
  tx: X,
  work: (tx: X) => Promise<T>,
  options: RunOptions = {},
): Promise<T> {
  const result = await commit(tx, work, options);
  tx.runAfterCommit(options.onCallbackError);
  return result;
}

async function commit<X extends Transaction, T>(
  tx: X,
  work: (tx: X) => Promise<T>,
  { signal, canceller }: RunOptions,
): Promise<T> {
  await begin(tx.em);
  let translate = translateDatabaseError;
  let unwatch = () => Promise.resolve();
  try {
    if (signal && canceller) unwatch = await canceller.watch(tx, signal);
    const result = await work(tx);
    await tx.em.flush();
    await unwatch();
    signal?.throwIfAborted();
    translate = translateCommitError;
    await tx.em.commit();
    return result;
  } catch (error) {
    await unwatch();
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
