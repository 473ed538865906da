import { Migration } from '@mikro-orm/migrations';
import { APP, PLATFORM } from './house.js';

export class M0911Retention extends Migration {
  override up(): void {
    // What is older is hidden from every read from the moment the setting says so; null: no limit. Runs with the rights of
    // its caller, who sees the tenant's own row.
    this.addSql(`create function retention_cutoff(owner uuid, kind text) returns timestamptz language sql stable as $$
      select now() - make_interval(days => (retention->>kind)::int) from tenant where id = owner and jsonb_typeof(retention->kind) = 'number' $$`);
    this.addSql('revoke all on function retention_cutoff(uuid, text) from public');
    this.addSql(`grant execute on function retention_cutoff(uuid, text) to ${APP}, ${PLATFORM}`);
  }
}
