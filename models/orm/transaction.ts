import { createHash } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { PoolClient, QueryResultRow } from 'pg';
import type { TenantId } from '../../core/security/ids.js';

/** A statement that a connection parses and plans once, see `prepared`. */
export interface PreparedStatement {
  readonly name: string;
  readonly text: string;
}

/**
 * For short statements of hot paths that planning costs more than doing. Their plan must be right whatever the values and
 * however many rows the tables have: one step in an index for each value, never a choice between plans.
 */
export const prepared = (text: string): PreparedStatement => ({ name: createHash('sha256').update(text).digest('base64url'), text });

/**
 * What a repository gets to work with: one open transaction on one connection. `query` is for named SQL, `em` for
 * entities; both speak over the same connection, and the entity manager is made only when it is first used.
 */
export class Transaction {
  private readonly committed: Array<() => void> = [];
  private manager: EntityManager | null = null;

  constructor(
    private readonly client: PoolClient,
    private readonly bindManager: (client: PoolClient) => EntityManager,
  ) {}

  get em(): EntityManager {
    this.manager ??= this.bindManager(this.client);
    return this.manager;
  }

  /** Runs one statement with positional parameters ($1, $2, ...) and answers its rows. */
  async query<R extends QueryResultRow = QueryResultRow>(sql: string | PreparedStatement, params: readonly unknown[] = []): Promise<R[]> {
    const result = await this.client.query<R>(withParams(sql, params));
    return result.rows;
  }

  /** Runs one statement and answers the count of rows it changed. */
  async execute(sql: string | PreparedStatement, params: readonly unknown[] = []): Promise<number> {
    const result = await this.client.query(withParams(sql, params));
    return result.rowCount ?? 0;
  }

  /** Registers what is to happen once the transaction is durable; never runs after a rollback. */
  afterCommit(action: () => void): void {
    this.committed.push(action);
  }

  /** @internal writes pending entity changes; called by the database before COMMIT */
  async flush(): Promise<void> {
    if (this.manager) await this.manager.flush();
  }

  /** @internal */
  runAfterCommit(): void {
    for (const action of this.committed) action();
  }
}

const withParams = (sql: string | PreparedStatement, params: readonly unknown[]) => ({ ...(typeof sql === 'string' ? { text: sql } : sql), values: params as unknown[] });

/** Sees the rows of one tenant: row-level security compares them with the transaction's `app.tenant`. */
export class TenantTransaction extends Transaction {
  declare private readonly wall: 'tenant';

  constructor(
    readonly tenantId: TenantId,
    client: PoolClient,
    bindManager: (client: PoolClient) => EntityManager,
  ) {
    super(client, bindManager);
  }
}

/** Sees every tenant. Only files named in PLATFORM_REPOSITORIES (scripts/architecture/platform-access.mjs) may. */
export class PlatformTransaction extends Transaction {
  declare private readonly wall: 'platform';
}
