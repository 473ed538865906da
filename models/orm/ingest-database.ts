import { MikroORM } from '@mikro-orm/postgresql';
import { fork, run } from './in-tenant.js';
import { ormOptions } from './orm.config.js';
import { connectionOptions, transactionLimits } from './pools.js';
import { Transaction } from './transaction.js';

export interface IngestDatabaseOptions {
  /** Role visionops_ingest: adds rows of every tenant and reads none of them. */
  readonly url: string;
  readonly pool: number;
  readonly applicationName: string;
}

/** A group that takes longer is given up; its devices send it again. */
const STATEMENT_LIMIT_MS = 15_000;

/** The way to the tables that devices write to, for rows of many tenants in one transaction. */
export class IngestDatabase {
  private constructor(private readonly orm: MikroORM) {}

  static async open({ url, pool, applicationName }: IngestDatabaseOptions): Promise<IngestDatabase> {
    const connection = connectionOptions(url, applicationName, { max: pool, limitMs: STATEMENT_LIMIT_MS });
    return new IngestDatabase(await MikroORM.init({ ...ormOptions, contextName: 'ingest', ...connection }));
  }

  async inIngest<T>(work: (tx: IngestTransaction) => Promise<T>): Promise<T> {
    const em = fork(this.orm, transactionLimits(STATEMENT_LIMIT_MS));
    em.setFilterParams('tenant', {});
    return run(new IngestTransaction(em, undefined), work);
  }

  close(): Promise<void> {
    return this.orm.close(true);
  }
}

/** Adds rows of every tenant, which name it themselves. */
export class IngestTransaction extends Transaction {
  declare private readonly wall: 'ingest';
}
