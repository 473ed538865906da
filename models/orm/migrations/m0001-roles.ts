import { Migration } from '@mikro-orm/migrations';
import { APP, INGEST, PLATFORM, SEARCH } from './house.js';

const ensureRole = (name: string, attributes: string): string =>
  `do $$ begin if not exists (select 1 from pg_roles where rolname = '${name}') then create role ${name} ${attributes}; end if; end $$`;

/** Database roles and extensions. Roles belong to the cluster, so they may exist already. */
export class M0001Roles extends Migration {
  override up(): void {
    for (const role of [APP, PLATFORM, INGEST]) this.addSql(ensureRole(role, 'nosuperuser nocreatedb nocreaterole nobypassrls nologin'));
    this.addSql(ensureRole(SEARCH, 'nologin bypassrls nosuperuser'));
    for (const extension of ['pg_trgm', 'btree_gin']) this.addSql(`create extension if not exists ${extension}`);
    this.addSql('revoke create on schema public from public');
    this.addSql(`grant usage on schema public to ${APP}, ${PLATFORM}, ${INGEST}, ${SEARCH}`);
  }
}
