import pg from 'pg';
import type { TestApi } from '../support/test-api.js';

/** One transaction that changed rows: which tables, and the audit entries among them. */
export interface Change {
  readonly xid: string;
  readonly tables: readonly string[];
  /** Actions of the audit entries that it wrote. */
  readonly entries: readonly string[];
}

/** Records for every row that is written in which transaction, by triggers of the owner on all tables. */
export class ChangeLog {
  private constructor(private readonly owner: pg.Client) {}

  static async open(api: TestApi): Promise<ChangeLog> {
    const owner = new pg.Client({ connectionString: api.database.ownerUrl });
    await owner.connect();
    await owner.query(
      `create table noted_change (n bigint generated always as identity, xid xid8 not null, "table" text not null, action text)`,
    );
    await owner.query(`create function note_change() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
      begin
        -- The time of a token's last use is written at most once a minute, with whichever request comes then.
        if tg_op = 'UPDATE' and to_jsonb(old) - 'last_used_at' = to_jsonb(new) - 'last_used_at' then return null; end if;
        insert into noted_change (xid, "table", action) values (pg_current_xact_id(), tg_argv[0],
          case when tg_argv[0] = 'audit_entry' and tg_op = 'INSERT' then to_jsonb(new)->>'action' end);
        return null;
      end $$`);
    const { rows } = await owner.query<{ name: string }>(
      "select relname as name from pg_class where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace and relname <> 'noted_change'",
    );
    for (const { name } of rows)
      await owner.query(
        `create trigger zz_note_change after insert or update or delete on "${name}" for each row execute function note_change('${name}')`,
      );
    return new ChangeLog(owner);
  }

  /** What was written since it was asked last. */
  async take(): Promise<Change[]> {
    const { rows } = await this.owner.query<Change>(
      `with taken as (delete from noted_change returning n, xid, "table", action)
       select xid::text, array_agg(distinct "table" order by "table") as tables,
              coalesce(array_agg(action order by n) filter (where action is not null), '{}') as entries
       from taken group by xid order by xid`,
    );
    return rows;
  }

  close(): Promise<void> {
    return this.owner.end();
  }
}
