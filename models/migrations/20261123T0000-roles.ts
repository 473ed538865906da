import { Migration } from '@mikro-orm/migrations';
import { APP, AUTH, INGEST, PLATFORM, SEARCH } from './table-policies.js';
import { TIME_PARTITIONS } from './time-partitions.js';

/** Their logins are set apart: by the supervisor, or by the database's administrator. */
const SERVING = [APP, PLATFORM, INGEST, AUTH];
const ORDINARY = 'nologin nosuperuser nocreatedb nocreaterole';

const ensureRole = (name: string, attributes: string): string =>
  `do $$ begin
    if not exists (select 1 from pg_roles where rolname = '${name}') then
      create role ${name} ${attributes};
    end if;
  end $$`;

/**
 * Roles, extensions, and what triggers and tables partitioned by time share. Roles belong to the cluster, so
 * they may exist already.
 */
export class RolesBaseline extends Migration {
  override up(): void {
    for (const role of SERVING) this.addSql(ensureRole(role, `${ORDINARY} nobypassrls`));
    this.addSql(ensureRole(SEARCH, `${ORDINARY} bypassrls`));
    this.addSql('create extension if not exists pg_trgm');
    this.addSql('create extension if not exists btree_gin');
    this.addSql('revoke create on schema public from public');
    this.addSql(`grant usage on schema public to ${[...SERVING, SEARCH].join(', ')}`);
    // Work is called for when it is written, so that nobody has to look every second or two.
    this.addSql(`create function call_for_work() returns trigger language plpgsql as $$
      begin perform pg_notify(tg_argv[0], ''); return null; end $$`);
    for (const statement of TIME_PARTITIONS) this.addSql(statement);
  }
}
