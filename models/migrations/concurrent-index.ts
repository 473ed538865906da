import { Migration } from '@mikro-orm/migrations';

/**
 * Makes one index while its table is written to: it waits for the transactions that began before it, and holds up nobody.
 * That is done outside a transaction, so it is the only thing a migration does. PostgreSQL refuses it for a partitioned table.
 */
export abstract class ConcurrentIndex extends Migration {
  protected abstract readonly index: string;
  /** All that follows the name: `on dataset (tenant_id, name) where ...`. */
  protected abstract readonly definition: string;
  protected readonly isUnique: boolean = false;

  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // Whatever has this name was left by a run that was cut short, and is mostly invalid.
    this.addSql(`drop index concurrently if exists ${this.index}`);
    this.addSql(
      `create ${this.isUnique ? 'unique ' : ''}index concurrently ${this.index} ${this.definition}`,
    );
  }
}
