import { Migration } from '@mikro-orm/migrations';
import { AUTH, openToAuth } from './table-policies.js';

/** Seats of event streams, and the processes that hold them: neither tells of the resources of tenants. */
export class AuthSeats extends Migration {
  override up(): void {
    this.addSql(openToAuth('stream_seat', 'select', 'insert', 'delete'));
    this.addSql(
      `grant execute on function take_stream_seat(uuid, text, uuid, uuid, int, int, interval) to ${AUTH}`,
    );
    this.addSql(`create policy auth on process_heartbeat for select to ${AUTH} using (true)`);
    this.addSql(`grant select (process, place, seen_at) on process_heartbeat to ${AUTH}`);
  }
}
