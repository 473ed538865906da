import type { EntityManager } from '@mikro-orm/postgresql';
import type { PoolClient, QueryResultRow } from 'pg';
import type { TenantId } from '../../core/security/ids.js';

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
  async query<R extends QueryResultRow = QueryResultRow>(sql: string, params: readonly unknown[] = []): Promise<R[]> {
    const result = await this.client.query<R>(sql, params as unknown[]);
    return result.rows;
  }

  /** Runs one statement and answers the count of rows it changed. */
  async execute(sql: string, params: readonly unknown[] = []): Promise<number> {
    const result = await this.client.query(sql, params as unknown[]);
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
