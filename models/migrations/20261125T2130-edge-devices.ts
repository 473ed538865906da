import { Migration } from '@mikro-orm/migrations';
import { retainedTables, retentionClasses } from './retention-partitions.js';
import { AUTH, INGEST, tenantColumns, tenantTable, timestamps } from './table-policies.js';

/** Devices in the field, their tokens, heartbeats and commands. */
export class EdgeDevices extends Migration {
  override up(): void {
    this.devices();
    this.tokens();
    this.snapshots();
    this.heartbeats();
    this.commands();
    this.uploads();
    this.removals();
    for (const statement of retainedTables(['telemetry', 'inference', 'edge_heartbeat']))
      this.addSql(statement);
  }

  private devices(): void {
    // number: what records of the device refer to; a device that is registered again under the same key is another one.
    // The four columns of the policy are what was set for this device; null leaves the default or the tenant's value.
    this.addSql(`create table edge_device (${tenantColumns('edge_device')},
      key text not null,
      number bigint generated always as identity,
      location text,
      os text,
      sdk_version text,
      is_blocked boolean not null default false,
      registered_at timestamptz,
      heartbeat_interval_s float8 check (heartbeat_interval_s > 0),
      commands_poll_s float8 check (commands_poll_s > 0),
      retention jsonb not null default '{}',
      sync jsonb not null default '{}',
      policy_revision int not null default 1,
      created_by uuid,
      ${timestamps},
      unique (tenant_id, key),
      unique (tenant_id, number))`);
    this.addSql(tenantTable('edge_device'));
    this.addSql(`create policy auth on edge_device for select to ${AUTH} using (true)`);
    this.addSql(
      `grant select (id, tenant_id, key, number, is_blocked, registered_at, retention)
        on edge_device to ${AUTH}`,
    );
    this.addSql(`grant select (retention) on tenant to ${AUTH}`);
  }

  private tokens(): void {
    // One for each device: a rotation replaces what it is known by. key_id: the server key of the hash.
    this.addSql(`create table edge_token (${tenantColumns('edge_token')},
      device_id uuid not null,
      token_hash text not null unique,
      key_id text not null,
      scopes jsonb not null,
      expires_at timestamptz not null,
      revoked_at timestamptz,
      expiry_told_at timestamptz,
      created_by uuid,
      ${timestamps},
      unique (tenant_id, device_id),
      foreign key (tenant_id, device_id) references edge_device (tenant_id, id) on delete cascade)`);
    this.addSql('create index edge_token_expiry_idx on edge_token (expires_at) where expiry_told_at is null');
    this.addSql(tenantTable('edge_token'));
    this.addSql(`create policy auth on edge_token for select to ${AUTH} using (true)`);
    this.addSql(
      `grant select (id, tenant_id, device_id, token_hash, scopes, expires_at, revoked_at)
        on edge_token to ${AUTH}`,
    );
  }

  private snapshots(): void {
    // Changed with every heartbeat: no index beside the key, and room in each page for the next version of a row.
    this.addSql(`create table edge_snapshot (
      device bigint primary key,
      tenant_id uuid not null references tenant (id) on delete restrict,
      cpu float8,
      gpu float8,
      mem float8,
      disk float8,
      payload jsonb not null default '{}',
      last_heartbeat_at timestamptz,
      applied_revision int,
      foreign key (tenant_id, device) references edge_device (tenant_id, number) on delete cascade)
      with (fillfactor = 70)`);
    this.addSql('create index edge_snapshot_tenant_idx on edge_snapshot (tenant_id)');
    this.addSql(tenantTable('edge_snapshot'));
    this.addSql(`create policy ingest on edge_snapshot to ${INGEST} using (true) with check (true)`);
    this.addSql(`grant select (device, applied_revision) on edge_snapshot to ${INGEST}`);
    this.addSql(`grant update (cpu, gpu, mem, disk, payload, last_heartbeat_at, applied_revision)
      on edge_snapshot to ${INGEST}`);
  }

  private heartbeats(): void {
    // As telemetry: added by the ingest role, in a partition by class of retention and day of receipt.
    this.addSql(`create table edge_heartbeat (
      tenant_id uuid not null,
      device bigint not null,
      received_at timestamptz not null,
      id bigint generated always as identity (cache 32),
      kept_days smallint not null,
      cpu float8,
      gpu float8,
      mem float8,
      disk float8,
      payload jsonb not null,
      primary key (device, received_at, id, kept_days)) partition by list (kept_days)`);
    for (const statement of retentionClasses('edge_heartbeat', 'received_at')) this.addSql(statement);
    this.addSql(tenantTable('edge_heartbeat', ['select']));
    this.addSql(`create policy ingest on edge_heartbeat for insert to ${INGEST} with check (true)`);
    this.addSql(`grant insert on edge_heartbeat to ${INGEST}`);
  }

  private commands(): void {
    // lease_until: of a delivered command; without an acknowledgement by then it is pending again. deliveries: tells one
    // delivery from the next, so that only the latest can be given back.
    this.addSql(`create table edge_command (${tenantColumns('edge_command')},
      device_id uuid not null,
      type text not null,
      args jsonb not null default '{}',
      state text not null default 'pending'
        check (state in ('pending', 'delivered', 'succeeded', 'failed', 'expired')),
      expires_at timestamptz,
      deliveries int not null default 0,
      delivered_at timestamptz,
      lease_until timestamptz,
      progress jsonb,
      result jsonb,
      finished_at timestamptz,
      created_by uuid,
      ${timestamps},
      foreign key (tenant_id, device_id) references edge_device (tenant_id, id) on delete cascade)`);
    this.addSql(
      'create index edge_command_device_idx on edge_command (tenant_id, device_id, created_at desc)',
    );
    this.addSql(`create index edge_command_open_idx on edge_command (device_id, created_at)
      where state in ('pending', 'delivered')`);
    this.addSql(`create index edge_command_due_idx on edge_command
      ((case state when 'pending' then expires_at else lease_until end))
      where state in ('pending', 'delivered')`);
    this.addSql(tenantTable('edge_command'));
  }

  private uploads(): void {
    // The session of a dataset that a device opened; how far it is stands in the session.
    this.addSql(`create table edge_upload (
      id uuid primary key,
      tenant_id uuid not null references tenant (id) on delete restrict,
      device_id uuid not null,
      kind text not null,
      meta jsonb not null default '{}',
      created_at timestamptz not null default now(),
      constraint edge_upload_tenant_id_key unique (tenant_id, id),
      foreign key (tenant_id, id) references dataset_upload (tenant_id, id) on delete cascade,
      foreign key (tenant_id, device_id) references edge_device (tenant_id, id) on delete cascade)`);
    this.addSql('create index edge_upload_device_idx on edge_upload (tenant_id, device_id, created_at desc)');
    this.addSql(tenantTable('edge_upload'));
    // Where uploads go that cannot go where they ask: of a device that names no dataset (device_id), and of those that name a
    // frozen one (asked_id).
    this.addSql(`create table edge_collection (${tenantColumns('edge_collection')},
      device_id uuid,
      asked_id uuid,
      dataset_id uuid not null,
      created_at timestamptz not null default now(),
      check ((device_id is null) <> (asked_id is null)),
      unique (tenant_id, device_id),
      unique (tenant_id, asked_id),
      foreign key (tenant_id, device_id) references edge_device (tenant_id, id) on delete cascade,
      foreign key (tenant_id, asked_id) references dataset (tenant_id, id) on delete cascade,
      foreign key (tenant_id, dataset_id) references dataset (tenant_id, id) on delete cascade)`);
    this.addSql(tenantTable('edge_collection'));
  }

  private removals(): void {
    // Numbers of devices that were deleted, until none of their records is left.
    this.addSql(`create table edge_device_removal (
      device bigint primary key,
      tenant_id uuid not null references tenant (id) on delete restrict,
      removed_at timestamptz not null default now())`);
    this.addSql('create index edge_device_removal_tenant_idx on edge_device_removal (tenant_id)');
    this.addSql(tenantTable('edge_device_removal', ['select', 'insert']));
  }
}
