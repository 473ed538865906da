import { PLATFORM } from './table-policies.js';

/**
 * Tables that are partitioned by time, with how many units of it their partitions are made ahead. A later
 * table adds its line here while nothing is released, and replaces the function afterwards.
 */
const TABLES = `create function partitioned_tables() returns table (name text, unit text, ahead int)
  language sql immutable as $$ values ('audit_entry', 'month', 12) $$`;

const SETTINGS = "set search_path = public, pg_temp set timezone = 'UTC'";

/**
 * Makes the partitions that are missing from `since` on; units begin in UTC. A partition is made beside its
 * table and then attached: neither reads nor writes of the table wait for that. No role has a right on it, so
 * that it is reached through its table alone, whose policies then hold. Its owner is held by no policy: he
 * looks whether it is empty.
 */
const CREATE = `create function create_partitions(parent text, unit text, since timestamptz, until timestamptz)
  returns int language plpgsql ${SETTINGS} set lock_timeout = '5s' as $$
  declare
    step interval := ('1 ' || unit)::interval;
    starts timestamptz := date_trunc(unit, since);
    part text;
    made int := 0;
  begin
    -- One at a time: whoever waited finds them made.
    perform pg_advisory_xact_lock(hashtextextended('create_partitions', 0));
    while starts <= until loop
      part := parent || to_char(starts, case unit when 'month' then '_YYYY_MM' else '_YYYY_MM_DD' end);
      if to_regclass(part) is null then
        execute format('create table %I (like %I including constraints)', part, parent);
        execute format('alter table %I enable row level security', part);
        execute format('alter table %I attach partition %I for values from (%L) to (%L)',
          parent, part, starts, starts + step);
        made := made + 1;
      end if;
      starts := starts + step;
    end loop;
    return made;
  end $$`;

/** From the last unit on: a clock that is set back finds a partition too. */
const CREATE_AHEAD = `create function create_partitions_ahead() returns int
  language sql security definer ${SETTINGS} as $$
    select coalesce(sum(create_partitions(p.name, p.unit, now() - s.step, now() + p.ahead * s.step)), 0)::int
    from partitioned_tables() p cross join lateral (select ('1 ' || p.unit)::interval as step) s $$`;

/**
 * Drops partitions that hold no row, of units before the last one. That takes the whole table away from
 * everybody for a moment, so it waits half a second at most for those who use it, and leaves the partition
 * to the next call. row_security off: should a policy hold the owner after all, the look fails instead of
 * seeing nothing.
 */
const DROP_EMPTY = `create function drop_empty_partitions() returns int
  language plpgsql security definer ${SETTINGS} set lock_timeout = '500ms' set row_security = off as $$
  declare
    past record;
    is_empty boolean;
    dropped int := 0;
  begin
    for past in
      select p.name as parent, c.relname as part
      from partitioned_tables() p join pg_inherits i on i.inhparent = p.name::regclass
      join pg_class c on c.oid = i.inhrelid
      where substring(pg_get_expr(c.relpartbound, c.oid) from $re$TO \\('(.*)'\\)$re$)::timestamptz
        <= date_trunc(p.unit, now()) - ('1 ' || p.unit)::interval
    loop
      execute format('select not exists (select 1 from %I)', past.part) into is_empty;
      continue when not is_empty;
      begin
        execute format('lock table %I in access exclusive mode', past.parent);
        execute format('select not exists (select 1 from %I)', past.part) into is_empty;
        if is_empty then
          execute format('drop table %I', past.part);
          dropped := dropped + 1;
        end if;
      exception when lock_not_available then null;
      end;
    end loop;
    return dropped;
  end $$`;

const forPlatform = (signature: string): string =>
  `revoke all on function ${signature} from public; grant execute on function ${signature} to ${PLATFORM}`;

/**
 * What tables partitioned by time share; the functions belong to whoever migrates, as the tables do. A table
 * has no DEFAULT partition: with one, lists by time could not read one partition after the other, and a new
 * partition would have to wait until nobody reads the default one and could not be attached while that holds
 * a row of its time.
 */
export const TIME_PARTITIONS: readonly string[] = [
  TABLES,
  CREATE,
  CREATE_AHEAD,
  DROP_EMPTY,
  'revoke all on function create_partitions(text, text, timestamptz, timestamptz) from public',
  forPlatform('create_partitions_ahead()'),
  forPlatform('drop_empty_partitions()'),
];
