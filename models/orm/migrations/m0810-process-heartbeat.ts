import { Migration } from '@mikro-orm/migrations';
import { platformTable } from './house.js';

/** Which processes are alive and what they know of their machine; read by the system's health. */
export class M0810ProcessHeartbeat extends Migration {
  override up(): void {
    this.addSql(`create table process_heartbeat (
      process text not null,
      place text not null,
      started_at timestamptz not null,
      seen_at timestamptz not null,
      facts jsonb not null default '{}',
      primary key (process, place))`);
    this.addSql(platformTable('process_heartbeat'));
  }
}
