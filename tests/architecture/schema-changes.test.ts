import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { MIGRATIONS } from '../../models/migrations/list.js';
import { brokenRules, SCHEMA_RULES } from './schema-changes.js';

const { sqlOf } = (await import(
  pathToFileURL(join(process.cwd(), 'scripts/releases/released-parts.mjs')).href
)) as { sqlOf(migration: (typeof MIGRATIONS)[number]): Promise<string[]> };
const releases = JSON.parse(readFileSync('releases.json', 'utf8')) as Array<{ migrations: string[] }>;
/** Those of the first release make the schema; nothing ran on it before. */
const released = new Set(releases[0]?.migrations);

/** What is planted, and the rule that must report it, as the name's place in the list. */
const PLANTED: ReadonlyArray<readonly [rule: number, statement: string]> = [
  [0, 'drop table dataset'],
  [0, 'alter table dataset drop column name'],
  [0, 'alter table dataset alter column name drop default'],
  [0, 'drop function create_partitions_ahead()'],
  [1, 'alter table dataset rename column name to title'],
  [1, 'alter table dataset rename name to title'],
  [1, 'ALTER TABLE dataset RENAME TO data_set'],
  [2, 'alter table dataset add column planted int not null'],
  [2, 'alter table dataset add planted text check (planted <> $$a$$) not null'],
  [2, 'alter table dataset add column a int not null default 1, add column b int not null'],
  [3, 'alter table dataset alter column name set not null'],
  [4, 'alter table dataset alter column name type varchar(10)'],
  [5, 'alter table dataset add column planted uuid not null default gen_random_uuid()'],
  [5, 'alter table dataset add column planted int generated always as (1) stored'],
  [6, 'alter table dataset add constraint planted check (name <> $$a$$)'],
  [6, 'alter table dataset add constraint planted foreign key (tenant_id) references tenant (id)'],
  [6, 'alter table dataset add constraint planted unique (name)'],
  [7, 'create index planted on dataset (name)'],
  [7, 'create unique index planted on dataset (name)'],
  [8, 'revoke select on dataset from visionops_app'],
];

const ALLOWED = [
  'create table planted (n int not null, m uuid default gen_random_uuid()); create index planted_n on planted (n); alter table planted add constraint positive check (n > 0)',
  'alter table dataset add column planted int',
  'alter table dataset add column planted int not null default 0',
  'alter table dataset add column planted int default 0 not null',
  'alter table dataset add constraint planted check (name <> $$a$$) not valid',
  'alter table dataset validate constraint planted',
  'alter table dataset add constraint planted unique using index planted',
  'create unique index concurrently planted on dataset (name)',
  'create or replace function planted() returns int language sql as $$ drop table dataset $$',
  'revoke all on function planted() from public',
  '-- upgrade: the table has one row\nalter table workload_host alter column host type varchar(100)',
];

describe('the version before runs on the schema after', () => {
  it('holds for every migration since the first release', async () => {
    const broken: string[] = [];
    for (const migration of MIGRATIONS.filter(({ name }) => !released.has(name)))
      broken.push(...brokenRules(await sqlOf(migration)).map((line) => `${migration.name}: ${line}`));
    expect(broken).toEqual([]);
  });

  it.each(PLANTED)('reports rule %i broken by: %s', (rule, statement) => {
    expect(brokenRules([statement]).map((line) => line.split(':')[0])).toEqual([SCHEMA_RULES[rule]?.name]);
  });

  it('has a planted violation of each rule', () => {
    expect([...new Set(PLANTED.map(([rule]) => rule))]).toEqual(SCHEMA_RULES.map((_, index) => index));
  });

  it.each(ALLOWED)('allows: %s', (text) => {
    expect(brokenRules([text])).toEqual([]);
  });
});
