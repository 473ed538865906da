import { PLATFORM } from './table-policies.js';

/** Days a class keeps, with the unit of its partitions. What is kept without limit would pile up days. */
const CLASSES = [
  { days: 7, suffix: '7', unit: 'day', ahead: 7 },
  { days: 30, suffix: '30', unit: 'day', ahead: 7 },
  { days: 90, suffix: '90', unit: 'day', ahead: 7 },
  { days: 365, suffix: '365', unit: 'day', ahead: 7 },
  { days: 0, suffix: 'unlimited', unit: 'month', ahead: 12 },
] as const;

const SETTINGS = "set search_path = public, pg_temp set timezone = 'UTC'";

const values = (rows: readonly string[]): string => `values ${rows.join(', ')}`;

/**
 * A table partitioned by list of `kept_days` gets a partition for each class of retention, which is itself
 * partitioned by the time of `column`. No role has a right on them but through the table.
 */
export const retentionClasses = (table: string, column: string): string[] =>
  CLASSES.flatMap(({ days, suffix }) => [
    `create table ${table}_${suffix} partition of ${table} for values in (${days}) partition by range (${column})`,
    `alter table ${table}_${suffix} enable row level security`,
  ]);

/**
 * Replaces the list of tables partitioned by time, and the list of those whose partitions go when they are
 * over. Months of the audit trail go when they are empty: its entries leave by sealed ranges.
 */
export const retainedTables = (tables: readonly string[]): string[] => {
  const parts = tables.flatMap((table) =>
    CLASSES.map((each) => ({ ...each, name: `${table}_${each.suffix}` })),
  );
  const timed = parts.map(({ name, unit, ahead }) => `('${name}', '${unit}', ${ahead})`);
  const kept = parts.filter(({ days }) => days > 0).map(({ name, days }) => `('${name}', ${days})`);
  return [
    `create or replace function partitioned_tables() returns table (name text, unit text, ahead int)
      language sql immutable as $$ ${values(["('audit_entry', 'month', 12)", ...timed])} $$`,
    `create or replace function retained_partitions() returns table (name text, kept_days int)
      language sql immutable as $$ ${values(kept)} $$`,
  ];
};

/**
 * Detaches partitions of which every row is over and puts them into the schema `expired`, from where they
 * are dropped: the table is taken away from everybody for the moment of the first step alone, however large
 * the partition is. It waits half a second at most for those who use the table and leaves the rest to the
 * next call.
 */
const DETACH = `create function detach_expired_partitions() returns int
  language plpgsql security definer ${SETTINGS} set lock_timeout = '500ms' as $$
  declare
    past record;
    detached int := 0;
  begin
    for past in
      select r.name as parent, c.relname as part from retained_partitions() r
      join pg_inherits i on i.inhparent = r.name::regclass join pg_class c on c.oid = i.inhrelid
      where substring(pg_get_expr(c.relpartbound, c.oid) from $re$TO \\('(.*)'\\)$re$)::timestamptz
        <= now() - make_interval(days => r.kept_days)
      order by c.relname
    loop
      begin
        execute format('alter table %I detach partition %I', past.parent, past.part);
        execute format('alter table %I set schema expired', past.part);
        detached := detached + 1;
      exception when lock_not_available then null;
      end;
    end loop;
    return detached;
  end $$`;

/** Nobody else reaches them: this waits for nobody and holds nobody up. */
const DROP = `create function drop_expired_partitions() returns int
  language plpgsql security definer ${SETTINGS} as $$
  declare
    past record;
    dropped int := 0;
  begin
    for past in select c.relname as part from pg_class c
      where c.relnamespace = 'expired'::regnamespace and c.relkind = 'r'
    loop
      execute format('drop table expired.%I', past.part);
      dropped := dropped + 1;
    end loop;
    return dropped;
  end $$`;

const forPlatform = (signature: string): string =>
  `revoke all on function ${signature} from public; grant execute on function ${signature} to ${PLATFORM}`;

export const EXPIRY: readonly string[] = [
  'create schema if not exists expired',
  DETACH,
  DROP,
  forPlatform('detach_expired_partitions()'),
  forPlatform('drop_expired_partitions()'),
];
