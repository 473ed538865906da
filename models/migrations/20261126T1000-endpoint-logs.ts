import { Migration } from '@mikro-orm/migrations';
import { APP, tenantTable } from './table-policies.js';

/** What instances of endpoints print is kept as logs of trainings are: rows, and segments in the object store. */
export class EndpointLogs extends Migration {
  override up(): void {
    const key = 'endpoint_id uuid not null, instance int not null, from_byte bigint not null';
    const endpoint = 'foreign key (tenant_id, endpoint_id) references serving_endpoint (tenant_id, id)';
    this.addSql(`create table endpoint_log_chunk (${key},
      to_byte bigint not null,
      source_end bigint not null,
      text text not null,
      tenant_id uuid not null,
      created_at timestamptz not null default now(),
      primary key (endpoint_id, instance, from_byte),
      check (to_byte = from_byte + octet_length(text)),
      ${endpoint} on delete cascade)`);
    this.addSql('create index endpoint_log_chunk_tenant_idx on endpoint_log_chunk (tenant_id, created_at)');
    // Whoever removes a row frees its object, so nothing removes it along with the endpoint.
    this.addSql(`create table endpoint_log_segment (${key},
      to_byte bigint not null check (to_byte > from_byte),
      source_end bigint not null,
      sha256 text not null,
      size_bytes bigint not null check (size_bytes = to_byte - from_byte),
      object_key text not null,
      tenant_id uuid not null,
      created_at timestamptz not null default now(),
      primary key (endpoint_id, instance, from_byte),
      ${endpoint} on delete restrict)`);
    this.addSql(
      'create index endpoint_log_segment_tenant_idx on endpoint_log_segment (tenant_id, created_at)',
    );
    this.addSql(tenantTable('endpoint_log_chunk', ['select', 'insert', 'delete']));
    // The last row of a log grows.
    this.addSql(`grant update (text, to_byte, source_end, created_at) on endpoint_log_chunk to ${APP}`);
    this.addSql(tenantTable('endpoint_log_segment', ['select', 'insert', 'delete']));
    // What source_end counts in; null as of the version before, which wrote the tail of the log alone.
    this.addSql('alter table workload_log add column origin text');
  }
}
