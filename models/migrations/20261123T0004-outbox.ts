import { Migration } from '@mikro-orm/migrations';
import { APP, mixedTable, PLATFORM } from './table-policies.js';

export class OutboxBaseline extends Migration {
  override up(): void {
    this.dispatch();
    this.effects();
  }

  private dispatch(): void {
    // handing_over_at: when a mail server was about to get a mail; null again after a failure that is known.
    // given_up_at: entries that were answered with a refusal again and again are set aside, for a person to
    // look at.
    this.addSql(`create table dispatch (
      id bigint generated always as identity primary key,
      tenant_id uuid,
      kind text not null check (kind in ('start', 'signal', 'cancel', 'mail', 'mail-removal')),
      workflow_id text,
      payload jsonb not null,
      created_at timestamptz not null default now(),
      attempts int not null default 0,
      next_attempt_at timestamptz not null default now(),
      last_error text,
      handing_over_at timestamptz,
      refusals int not null default 0,
      given_up_at timestamptz)`);
    // Rows are deleted once carried out, so the index stays as small as the backlog.
    this.addSql('create index dispatch_due_idx on dispatch (next_attempt_at, id)');
    // Finds the older entries of one workflow; mails have none.
    this.addSql(`create index dispatch_workflow_idx on dispatch (workflow_id, id)
      where workflow_id is not null`);
    // Mails that wait for their server, which may be long, by whom they go to and what they tell of.
    this.addSql("create index dispatch_mail_to_idx on dispatch ((payload->>'to')) where kind = 'mail'");
    this.addSql(`create index dispatch_given_up_idx on dispatch (given_up_at desc)
      where given_up_at is not null`);
    this.addSql(mixedTable('dispatch', ['insert']));
    this.addSql(`grant usage on sequence dispatch_id_seq to ${APP}, ${PLATFORM}`);
    this.addSql(`create function notify_dispatch() returns trigger language plpgsql as $$
      begin perform pg_notify('visionops_dispatch', ''); return null; end $$`);
    this.addSql(`create trigger dispatch_notify after insert on dispatch
      for each statement execute function notify_dispatch()`);
  }

  private effects(): void {
    // One row for each activity whose effect is in the database: written in the effect's own transaction, so
    // a repeated activity finds the row and answers the stored result instead of acting twice.
    this.addSql(`create table activity_effect (
      workflow_id text not null,
      activity_id text not null,
      tenant_id uuid,
      result jsonb,
      at timestamptz not null default clock_timestamp(),
      primary key (workflow_id, activity_id))`);
    this.addSql('create index activity_effect_at_idx on activity_effect (at)');
    this.addSql(mixedTable('activity_effect', ['select', 'insert', 'update']));
  }
}
