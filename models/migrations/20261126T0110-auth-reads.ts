import { Migration } from '@mikro-orm/migrations';
import { AUTH } from './table-policies.js';

/** Seats of event streams, and what hosts can run: neither tells of a tenant's resources, so neither takes more rights. */
export class AuthReads extends Migration {
  override up(): void {
    const statements = [
      `create policy auth on stream_seat for all to ${AUTH} using (true) with check (true)`,
      `grant select, insert, delete on stream_seat to ${AUTH}`,
      `grant execute on function take_stream_seat(uuid, text, uuid, uuid, int, int, interval) to ${AUTH}`,
      `create policy auth on process_heartbeat for select to ${AUTH} using (true)`,
      `grant select (process, place, seen_at) on process_heartbeat to ${AUTH}`,
      `create policy auth on host for select to ${AUTH} using (true)`,
      `grant select on host to ${AUTH}`,
    ];
    for (const statement of statements) this.addSql(statement);
  }
}
