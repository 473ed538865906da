import { Migration } from '@mikro-orm/migrations';
import { retainedTables, retentionClasses } from './retention-partitions.js';
import { INGEST, tenantColumns, tenantTable, timestamps } from './table-policies.js';

/** What models predicted in the field, and what people know of it. */
export class InferenceRecords extends Migration {
  override up(): void {
    this.records();
    this.feedback();
    for (const statement of retainedTables(['telemetry', 'inference'])) this.addSql(statement);
  }

  private records(): void {
    // As telemetry: added by the ingest role, in a partition by class of retention and day of receipt. label: the class of
    // the record's result, taken out of it when it is stored, so that statistics read no documents.
    this.addSql(`create table inference (
      tenant_id uuid not null,
      device bigint not null,
      received_at timestamptz not null,
      id bigint generated always as identity (cache 32),
      kept_days smallint not null,
      ts timestamptz not null,
      model_name text not null,
      version int not null,
      prediction_id text,
      label text,
      confidence float8,
      latency_ms float8,
      result jsonb not null,
      upload_id text,
      primary key (device, received_at, id, kept_days)) partition by list (kept_days)`);
    for (const statement of retentionClasses('inference', 'received_at')) this.addSql(statement);
    this.addSql(
      'create index inference_model_idx on inference (tenant_id, model_name, version, received_at)',
    );
    this.addSql(`create index inference_prediction_idx on inference (tenant_id, prediction_id)
      where prediction_id is not null`);
    this.addSql(tenantTable('inference', ['select']));
    this.addSql(`create policy ingest on inference for insert to ${INGEST} with check (true)`);
    this.addSql(`grant insert on inference to ${INGEST}`);
  }

  private feedback(): void {
    // Names of models and predictions as they were sent: feedback may come before the record of the prediction does.
    this.addSql(`create table feedback (${tenantColumns('feedback')},
      model_name text not null,
      prediction_id text,
      label jsonb not null,
      created_by uuid,
      ${timestamps})`);
    this.addSql('create index feedback_model_idx on feedback (tenant_id, model_name, created_at)');
    this.addSql(tenantTable('feedback'));
  }
}
