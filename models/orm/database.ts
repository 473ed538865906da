import { type EntityManager, MikroORM, type Transaction as OrmTransaction } from '@mikro-orm/postgresql';
import { createPostgreSqlTypeParsers } from '@mikro-orm/sql';
import pg, { type PoolClient } from 'pg';
import { unavailable } from '../../core/errors/app-error.js';
import type { TenantId } from '../../core/security/ids.js';
import { ormOptions } from './orm-config.js';
import { translateCommitError, translateDatabaseError } from './database-errors.js';
import { QueryCutter } from './query-cut.js';
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

/** int8 as number: every bigint of ours (sizes, offsets, sequence ids) stays below 2^53. */
const rawTypes = new pg.TypeOverrides();
rawTypes.setTypeParser(20, Number);
rawTypes.setTypeParser(1700, Number);

/** Values as the ORM expects them (it parses dates and arrays by itself). */
const ormTypes = new pg.TypeOverrides();
for (const [oid, parse] of Object.entries(createPostgreSqlTypeParsers((text) => parsePgArray(text)))) {
  ormTypes.setTypeParser(Number(oid), parse as (value: string) => unknown);
}

function parsePgArray(text: string): string[] {
  return (pg.types.getTypeParser(1009 as never, 'text') as (value: string) => string[])(text);
}

/** The only way to the rows. No transaction is left open while bytes flow: check, stream, commit. */
export class Database {
  private constructor(
    private readonly app: pg.Pool,
    private readonly platform: pg.Pool,
    private readonly orm: MikroORM,
    private readonly hasTenantFilter: boolean,
    private readonly cutter: QueryCutter,
  ) {}

  static async open(options: DatabaseOptions): Promise<Database> {
    const pool = (connectionString: string, max: number) =>
      quiet(
        new pg.Pool({
          connectionString,
          max,
          types: rawTypes,
          application_name: options.applicationName,
          connectionTimeoutMillis: 5000,
          idleTimeoutMillis: 60_000,
          keepAlive: true,
          statement_timeout: 60_000,
        }),
      );
    const orm = await MikroORM.init({ ...ormOptions, clientUrl: options.appUrl, connect: false } as never);
    const cutter = new QueryCutter(options.appUrl, options.applicationName);
    return new Database(pool(options.appUrl, options.appPool), pool(options.platformUrl, options.platformPool), orm as MikroORM, options.hasTenantFilter ?? true, cutter);
  }

  /**
   * Runs `work` in a transaction that sees one tenant. Rolls back and rethrows when it throws.
   * @param signal ends the statement under way and rolls back: its reason is thrown; for work that takes seconds
   */
  async inTenant<T>(tenantId: TenantId, work: (tx: TenantTransaction) => Promise<T>, signal?: AbortSignal): Promise<T> {
    // One message: the tenant's id is a checked UUID, so it can stand in the text of a simple query.
    const begin = `begin; set local app.tenant = '${tenantId}'`;
    return this.run(this.app, begin, (client) => new TenantTransaction(tenantId, client, (c) => this.bindManager(c, tenantId)), work, signal);
  }

  /** Runs `work` in a transaction that sees every tenant; for the files named in PLATFORM_REPOSITORIES only. */
  async inPlatform<T>(work: (tx: PlatformTransaction) => Promise<T>): Promise<T> {
    return this.run(this.platform, 'begin', (client) => new PlatformTransaction(client, (c) => this.bindManager(c, null)), work);
  }

  async ping(): Promise<void> {
    const client = await connect(this.app);
    try {
      await client.query('select 1');
    } finally {
      client.release();
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.app.end(), this.platform.end()]);
    await this.cutter.close();
    await this.orm.close(true);
  }

  private async run<X extends Transaction, T>(pool: pg.Pool, begin: string, open: (client: PoolClient) => X, work: (tx: X) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const client = await connect(pool);
    const endCut = signal && this.cutter.watch(client, signal);
    let broken: Error | undefined;
    let translate = translateDatabaseError;
    try {
      await client.query(begin);
      const tx = open(client);
      const result = await work(tx);
      await tx.flush();
      await endCut?.();
      signal?.throwIfAborted();
      translate = translateCommitError;
      await client.query('commit');
      translate = translateDatabaseError;
      tx.runAfterCommit();
      return result;
    } catch (error) {
      await endCut?.();
      broken = await rollBack(client);
      throw signal?.aborted && translate === translateDatabaseError ? signal.reason : translate(error);
    } finally {
      client.release(broken);
    }
  }

  private bindManager(client: PoolClient, tenantId: TenantId | null): EntityManager {
    const em = this.orm.em.fork({ useContext: false }) as EntityManager;
    // Without arguments the filter asks for nothing.
    if (tenantId !== null) em.setFilterParams('tenant', this.hasTenantFilter ? { tenantId } : {});
    em.setTransactionContext(bindConnection(client));
    return em;
  }
}

/** The ORM runs every statement through `executeQuery` of its transaction; this sends them over our connection. */
function bindConnection(client: PoolClient): OrmTransaction {
  return {
    async executeQuery(compiled: { sql: string; parameters?: readonly unknown[] }) {
      const result = await client.query({ text: compiled.sql, values: compiled.parameters as unknown[], types: ormTypes });
      return { rows: result.rows ?? [], numAffectedRows: BigInt(result.rowCount ?? 0) };
    },
  } as unknown as OrmTransaction;
}

async function connect(pool: pg.Pool): Promise<PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw unavailable('The database cannot be reached right now; try again shortly.', error);
  }
}

async function rollBack(client: PoolClient): Promise<Error | undefined> {
  try {
    await client.query('rollback');
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

/** A dropped idle connection is replaced by the pool; without a listener it would end the process. */
function quiet(pool: pg.Pool): pg.Pool {
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
