import { Migration } from '@mikro-orm/migrations';

/**
 * A call names the row whose state changed, so that only those hear of it who wait for that row: by its id, or by the column
 * that the trigger names. Deletions call once for all their rows and name none.
 */
export class StateChanges extends Migration {
  override up(): void {
    this.addSql(`create or replace function call_for_work() returns trigger language plpgsql as $$
      begin
        perform pg_notify(tg_argv[0],
          case when tg_level = 'ROW' then to_jsonb(new) ->> coalesce(tg_argv[1], 'id') else '' end);
        return null;
      end $$`);
    this.addSql(`create trigger tracker_run_state_call after update of status on tracker_run
      for each row when (old.status is distinct from new.status)
      execute function call_for_work('visionops_states', 'run_id')`);
    // Who waits for a workload knows whose it is.
    this.addSql(`create or replace trigger workload_state_call after update of status, carried_out on workload
      for each row when (old.status is distinct from new.status
        or old.carried_out is distinct from new.carried_out)
      execute function call_for_work('visionops_states', 'owner_id')`);
  }
}
