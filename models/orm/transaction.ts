import type { EntityManager } from '@mikro-orm/postgresql';
import { CompiledQuery, type Kysely, type QueryResult } from 'kysely';
import type { QueryResultRow } from 'pg';
import type { TenantId } from '../../core/security/ids.js';
import type { Tables } from './entities.js';

/** Rows of a statement that is SQL text, by column name. */
export type SqlRow = QueryResultRow;

/**
 * One open transaction on one connection. Entities (`em`) change single rows, `kysely` reads, `query` and `execute` run SQL
 * text that moves many rows. Neither Kysely nor SQL text sees what an entity still holds back: a command ends with
 * `await tx.em.flush()`.
 */
export class Transaction {
  private readonly committed: Array<() => void> = [];
  private builder: Kysely<Tables> | null = null;

  /**
   * @param signal once it is aborted, no statement begins; the `StatementCanceller` ends the one under way. Kysely is not
   *   given it: it would leave that statement alone and print its end to standard error.
   */
  constructor(
    readonly em: EntityManager,
    private readonly signal: AbortSignal | undefined,
  ) {}

  /** Typed reads: tables by their names in the database, columns by the entities' property names. */
  get kysely(): Kysely<Tables> {
    this.signal?.throwIfAborted();
    this.builder ??= this.em.getKysely<Tables>({ columnNamingStrategy: 'property' }) as Kysely<Tables>;
    return this.builder;
  }

  /** Runs one statement with positional parameters ($1, $2, ...) and answers its rows. */
  async query<R extends object = SqlRow>(sql: string, params: readonly unknown[] = []): Promise<R[]> {
    return (await this.run<R>(sql, params)).rows;
  }

  /** As `query`, with columns in camelCase, as entities and Kysely name them; inside JSON values nothing changes. */
  async rows<R extends object = SqlRow>(sql: string, params: readonly unknown[] = []): Promise<R[]> {
    return inCamelCase((await this.run<SqlRow>(sql, params)).rows) as R[];
  }

  /** Runs one statement and answers the count of rows it changed or, where it ends with a select, answered. */
  async execute(sql: string, params: readonly unknown[] = []): Promise<number> {
    const result = await this.run(sql, params);
    return result.numAffectedRows === undefined ? result.rows.length : Number(result.numAffectedRows);
  }

  /**
   * Registers what is to happen once the transaction is durable; never runs after a rollback. What it throws is reported
   * and changes nothing: neither the answer nor the callbacks after it.
   */
  afterCommit(action: () => void): void {
    this.committed.push(action);
  }

  /** @internal */
  runAfterCommit(onError: (error: unknown) => void = warn): void {
    for (const action of this.committed)
      try {
        action();
      } catch (error) {
        onError(error);
      }
  }

  /** Past the entity manager's own `execute`, which pastes values into the text. */
  private async run<R>(sql: string, params: readonly unknown[]): Promise<QueryResult<R>> {
    this.signal?.throwIfAborted();
    const connection = this.em.getTransactionContext<Kysely<Tables>>();
    if (!connection) throw new Error('the transaction is over');
    return connection.executeQuery(CompiledQuery.raw(sql, [...params]) as CompiledQuery<R>);
  }
}

const warn = (error: unknown): void => process.emitWarning(error instanceof Error ? error : String(error));

/** @internal */
export function inCamelCase(rows: readonly SqlRow[]): SqlRow[] {
  const names = Object.keys(rows[0] ?? {}).map((column) => [column, camelCase(column)] as const);
  return rows.map((row) => Object.fromEntries(names.map(([column, name]) => [name, row[column]])));
}

const camelCase = (column: string): string =>
  column.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** Sees the rows of one tenant: row-level security compares them with the transaction's `app.tenant`. */
export class TenantTransaction extends Transaction {
  declare private readonly wall: 'tenant';

  constructor(
    readonly tenantId: TenantId,
    em: EntityManager,
    signal: AbortSignal | undefined,
  ) {
    super(em, signal);
  }
}

/**
 * Sees accounts, sign-ins, tokens and roles, and of tenants their names: what signs people in, before there is a tenant.
 * For files that end in `.platform.ts` alone.
 */
export class AuthTransaction extends Transaction {
  declare private readonly accounts: 'all';
}

/** Sees every tenant: for files that end in `.platform.ts` alone. May do all that signing in takes. */
export class PlatformTransaction extends AuthTransaction {
  declare private readonly wall: 'platform';
}
