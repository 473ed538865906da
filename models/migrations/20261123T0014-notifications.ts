import { Migration } from '@mikro-orm/migrations';
import { APP, mixedTable, platformTable } from './table-policies.js';

/** The person who reads: set for one transaction by whoever reads a feed. */
const READER = "nullif(current_setting('app.user', true), '')::uuid";

export class NotificationsBaseline extends Migration {
  override up(): void {
    this.requests();
    this.notifications();
    this.perPerson();
  }

  /**
   * What happened, written in the change's own transaction. Append-only, so that no change ever waits for
   * another one.
   */
  private requests(): void {
    this.addSql(`create table notification_request (
      id bigint generated always as identity primary key,
      tenant_id uuid references tenant (id) on delete cascade,
      kind text not null,
      subject text not null,
      user_id uuid,
      title text not null,
      body text not null,
      link text,
      created_at timestamptz not null default clock_timestamp())`);
    this.addSql('create index notification_request_tenant_idx on notification_request (tenant_id)');
    this.addSql(mixedTable('notification_request', ['insert']));
    this.addSql(`create function notify_notification() returns trigger language plpgsql as $$
      begin perform pg_notify('visionops_notifications', ''); return null; end $$`);
    this.addSql(`create trigger notification_request_notify after insert on notification_request
      for each statement execute function notify_notification()`);
  }

  /**
   * One row for each person who is told. Kinds are a catalog in code; `updated_at` is when it last happened.
   */
  private notifications(): void {
    this.addSql(`create table notification (
      id uuid primary key default gen_random_uuid(),
      tenant_id uuid references tenant (id) on delete cascade,
      user_id uuid not null references user_account (id) on delete cascade,
      kind text not null,
      subject text not null,
      is_personal boolean not null,
      title text not null,
      body text not null,
      link text,
      count int not null default 1 check (count > 0),
      in_app boolean not null,
      awaits_mail boolean not null,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      read_at timestamptz)`);
    this.addSql(`create index notification_feed_idx
      on notification (user_id, tenant_id, updated_at desc, id desc) where in_app`);
    // Unread entries are counted by tenant and kind from the index alone.
    this.addSql(`create index notification_unread_idx on notification (user_id, tenant_id, kind, is_personal)
      where in_app and read_at is null`);
    this.addSql('create index notification_same_idx on notification (user_id, kind, subject, created_at)');
    this.addSql('create index notification_mail_idx on notification (user_id) where awaits_mail');
    this.addSql('create index notification_tenant_idx on notification (tenant_id)');
    this.addSql(mixedTable('notification', ['select', 'update']));
    // Inside the tenant's wall everybody has one of their own; what belongs to no tenant is reached by its
    // person alone.
    this.addSql(`create policy reader on notification as restrictive for all to ${APP}
      using (user_id = ${READER}) with check (user_id = ${READER})`);
    this.addSql(`create policy personal on notification for all to ${APP}
      using (tenant_id is null) with check (tenant_id is null)`);
  }

  private perPerson(): void {
    this.addSql(`create table notification_preference (
      user_id uuid primary key references user_account (id) on delete cascade,
      prefs jsonb not null,
      updated_at timestamptz not null default now())`);
    this.addSql(platformTable('notification_preference'));
    // Null due_at: nothing waits. sent_at: when the last mail was written, which the next one keeps its
    // distance to.
    this.addSql(`create table notification_mail (
      user_id uuid primary key references user_account (id) on delete cascade,
      due_at timestamptz,
      sent_at timestamptz)`);
    this.addSql(`create index notification_mail_due_idx on notification_mail (due_at)
      where due_at is not null`);
    this.addSql(platformTable('notification_mail'));
    this.addSql(`create trigger notification_mail_call after insert or update on notification_mail
      for each statement execute function call_for_work('visionops_notification_mails')`);
  }
}
