import type { Transaction } from '../orm/transaction.js';
import type { ProcessIdentity, WorkerFacts } from './process-heartbeat.types.js';

/** Ages are compared between machines, so the one clock that all of them share sets them. */
export async function writeHeartbeat(
  tx: Transaction,
  { process, place, startedAt }: ProcessIdentity,
  facts: WorkerFacts,
): Promise<void> {
  await tx.execute(
    `-- hot: every few seconds of every process
     insert into process_heartbeat (process, place, started_at, facts, seen_at)
     values ($1, $2, $3, $4::jsonb, clock_timestamp())
     on conflict (process, place) do update
       set started_at = excluded.started_at, seen_at = excluded.seen_at, facts = excluded.facts`,
    [process, place, startedAt, JSON.stringify(facts)],
  );
  await tx.execute(
    `-- set: all that were not seen for a day
     delete from process_heartbeat where seen_at < clock_timestamp() - interval '1 day'`,
  );
}
