import type { PlatformTransaction } from '../orm/transaction.js';

/** What a worker tells of its machine. */
export interface WorkerFacts {
  readonly orchestrator: string;
  readonly isolation: { readonly kind: 'pod' | 'uid' | 'none'; readonly explanation: string };
  readonly runtimes: ReadonlyArray<{ readonly runtime: string; readonly available: boolean; readonly reason: string | null }>;
}

export interface Heartbeat {
  readonly place: string;
  readonly startedAt: Date;
  /** Seconds since it was last seen, by the database's clock. */
  readonly ageS: number;
  readonly facts: WorkerFacts;
}

export interface ProcessIdentity {
  readonly process: 'worker';
  /** `host:pid`. */
  readonly place: string;
  readonly startedAt: Date;
}

/** Says that the process is alive; processes not seen for a day are forgotten. */
export async function beat(tx: PlatformTransaction, who: ProcessIdentity, facts: WorkerFacts): Promise<void> {
  await tx.execute(
    `insert into process_heartbeat (process, place, started_at, seen_at, facts) values ($1, $2, $3, clock_timestamp(), $4)
     on conflict (process, place) do update set started_at = excluded.started_at, seen_at = excluded.seen_at, facts = excluded.facts`,
    [who.process, who.place, who.startedAt, JSON.stringify(facts)],
  );
  await tx.execute("delete from process_heartbeat where seen_at < clock_timestamp() - interval '1 day'");
}

/** The process stopped in order. */
export async function forgetHeartbeat(tx: PlatformTransaction, who: ProcessIdentity): Promise<void> {
  await tx.execute('delete from process_heartbeat where process = $1 and place = $2', [who.process, who.place]);
}

/** The processes of a kind, most recently seen first, at most 100. */
export async function listHeartbeats(tx: PlatformTransaction, process: ProcessIdentity['process']): Promise<Heartbeat[]> {
  return tx.query<{ place: string; startedAt: Date; ageS: number; facts: WorkerFacts }>(
    `select place, started_at as "startedAt", extract(epoch from clock_timestamp() - seen_at)::float8 as "ageS", facts
     from process_heartbeat where process = $1 order by seen_at desc limit 100`,
    [process],
  );
}
