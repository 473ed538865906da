import { Migration } from '@mikro-orm/migrations';
import { PLATFORM, platformTable } from './table-policies.js';

/**
 * Open event streams of all API processes. Not logged: streams end with a crash of the database, and
 * opening one then waits for no disk.
 */
export class StreamSeats extends Migration {
  override up(): void {
    this.addSql(`create unlogged table stream_seat (
      id uuid primary key,
      process text not null default 'api' check (process = 'api'),
      place text not null,
      user_id uuid not null,
      tenant_id uuid references tenant (id) on delete cascade,
      constraint stream_seat_process_fkey foreign key (process, place)
        references process_heartbeat (process, place) on delete cascade)`);
    this.addSql('create index stream_seat_user_idx on stream_seat (user_id)');
    this.addSql('create index stream_seat_tenant_idx on stream_seat (tenant_id)');
    this.addSql('create index stream_seat_place_idx on stream_seat (process, place)');
    this.addSql(platformTable('stream_seat'));
    this.take();
  }

  /**
   * Whoever waited for the lock counts what was taken meanwhile: each statement of the function sees what
   * was committed before it. The person's lock comes before the tenant's, so nobody waits in a circle.
   */
  private take(): void {
    this.addSql(`create function take_stream_seat(seat uuid, at_place text, of_user uuid, of_tenant uuid,
        per_user int, per_tenant int, lease interval) returns text
      language plpgsql set search_path = public, pg_temp as $$
      declare alive_since timestamptz := clock_timestamp() - lease;
      begin
        perform pg_advisory_xact_lock(hashtextextended('stream_seat user ' || of_user, 0));
        if (select count(*) from stream_seat s join process_heartbeat p using (process, place)
            where s.user_id = of_user and p.seen_at > alive_since) >= per_user then
          return 'user';
        end if;
        if of_tenant is not null then
          perform pg_advisory_xact_lock(hashtextextended('stream_seat tenant ' || of_tenant, 0));
          if (select count(*) from stream_seat s join process_heartbeat p using (process, place)
              where s.tenant_id = of_tenant and p.seen_at > alive_since) >= per_tenant then
            return 'tenant';
          end if;
        end if;
        insert into stream_seat (id, place, user_id, tenant_id) values (seat, at_place, of_user, of_tenant);
        return null;
      end $$`);
    const signature = 'take_stream_seat(uuid, text, uuid, uuid, int, int, interval)';
    this.addSql(`revoke all on function ${signature} from public`);
    this.addSql(`grant execute on function ${signature} to ${PLATFORM}`);
  }
}
