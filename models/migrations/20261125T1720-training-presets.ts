import { Migration } from '@mikro-orm/migrations';
import { tenantColumns, tenantTable, timestamps } from './table-policies.js';

/** Presets that tenants make themselves; those of the installation stand in its program. */
export class TrainingPresets extends Migration {
  override up(): void {
    // config: as somebody gave it, so that what it leaves out gets the defaults of the day it is used.
    this.addSql(`create table training_preset (${tenantColumns('training_preset')},
      name text not null check (char_length(name) between 1 and 200),
      description text not null default '' check (char_length(description) <= 2000),
      config jsonb not null,
      created_by uuid,
      ${timestamps},
      constraint training_preset_name_key unique (tenant_id, name))`);
    this.addSql(tenantTable('training_preset', ['select', 'insert', 'delete']));
  }
}
