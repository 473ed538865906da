import { Migration } from '@mikro-orm/migrations';
import { EXPIRY, retainedTables, retentionClasses } from './retention-partitions.js';
import { INGEST, platformTable, tenantTable } from './table-policies.js';

/** Records of devices and the batches they came in. The ingest role adds them and reads none of them. */
export class Telemetry extends Migration {
  override up(): void {
    this.records();
    this.batches();
    for (const statement of [...retainedTables(['telemetry']), ...EXPIRY]) this.addSql(statement);
  }

  private records(): void {
    // device: number of the device in its table. kept_days: class of retention, 0 without limit. ts: as the
    // device sent it. No key to tenant and device: it would cost more than the row.
    this.addSql(`create table telemetry (
      tenant_id uuid not null,
      device bigint not null,
      received_at timestamptz not null,
      id bigint generated always as identity (cache 32),
      kept_days smallint not null,
      kind text not null,
      ts timestamptz not null,
      data jsonb not null,
      primary key (device, received_at, id, kept_days)) partition by list (kept_days)`);
    for (const statement of retentionClasses('telemetry', 'received_at')) this.addSql(statement);
    this.addSql(tenantTable('telemetry', ['select']));
    this.addSql(`create policy ingest on telemetry for insert to ${INGEST} with check (true)`);
    this.addSql(`grant insert on telemetry to ${INGEST}`);
  }

  private batches(): void {
    // A repeat within 48 hours gets the answer of the first; an older row gives way to a new batch.
    this.addSql(`create table telemetry_batch (
      tenant_id uuid not null,
      device bigint not null,
      key text not null check (length(key) between 1 and 64),
      received_at timestamptz not null,
      records int not null,
      primary key (device, key))`);
    this.addSql('create index telemetry_batch_received_idx on telemetry_batch using brin (received_at)');
    this.addSql('create index telemetry_batch_tenant_idx on telemetry_batch (tenant_id)');
    this.addSql(platformTable('telemetry_batch'));
    this.addSql(`create policy ingest on telemetry_batch to ${INGEST} using (true) with check (true)`);
    this.addSql(`grant insert on telemetry_batch to ${INGEST}`);
    this.addSql(`grant select (device, key, received_at, records) on telemetry_batch to ${INGEST}`);
    this.addSql(`grant update (received_at, records) on telemetry_batch to ${INGEST}`);
  }
}
