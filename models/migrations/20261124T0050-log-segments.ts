import { Migration } from '@mikro-orm/migrations';
import { APP, tenantTable } from './table-policies.js';

export class LogSegments extends Migration {
  override up(): void {
    // Bytes as in log_chunk. Whoever removes a row frees its object, so nothing removes it along with the experiment.
    this.addSql(`create table log_segment (
      experiment_id uuid not null,
      attempt int not null,
      from_byte bigint not null,
      to_byte bigint not null check (to_byte > from_byte),
      source_end bigint not null,
      sha256 text not null,
      size_bytes bigint not null check (size_bytes = to_byte - from_byte),
      object_key text not null,
      tenant_id uuid not null,
      created_at timestamptz not null default now(),
      primary key (experiment_id, attempt, from_byte),
      foreign key (tenant_id, experiment_id)
        references training_experiment (tenant_id, id) on delete restrict)`);
    this.addSql('create index log_segment_tenant_idx on log_segment (tenant_id, created_at)');
    this.addSql(tenantTable('log_segment', ['select', 'insert', 'delete']));
    // The last row of a log grows.
    this.addSql(`grant update (text, to_byte, source_end, created_at) on log_chunk to ${APP}`);
  }
}
