import { Migration } from '@mikro-orm/migrations';
import { INGEST } from './table-policies.js';

/** What a key of a batch was used for; null: it is not known of batches from before. */
export class BatchDigests extends Migration {
  override up(): void {
    this.addSql('alter table telemetry_batch add column body_hash text');
    this.addSql(`grant select (body_hash), update (body_hash) on telemetry_batch to ${INGEST}`);
  }
}
