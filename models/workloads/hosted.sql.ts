import type { Transaction } from '../orm/transaction.js';
import type { HostFacts, HostIdentity } from './host.types.js';
import type { WorkloadReport } from './hosted.types.js';
import type { WokenRow } from '../outbox/wake.types.js';

const WOKEN = 'w.tenant_id, w.workflow_id, w.workflow_signal';

const REPORT = `update workload w -- hot: whatever changed on a host since its last look
  set carried_out = c.revision, status = c.status, reason = c.reason, endpoints = c.endpoints, exit_code = c."exitCode",
    started_at = c."startedAt", finished_at = c."finishedAt", updated_at = now()
  from jsonb_to_recordset($2::jsonb) as c(id uuid, revision int, status text, reason text, endpoints jsonb, "exitCode" int,
    "startedAt" timestamptz, "finishedAt" timestamptz)
  where w.id = c.id and w.revision = c.revision and w.host = $1
  returning w.id, ${WOKEN}`;

/** Reports about an earlier requested state, or of a host that lost the workload, change nothing. */
export const writeReports = (
  tx: Transaction,
  host: string,
  reports: readonly WorkloadReport[],
): Promise<Array<WokenRow & { readonly id: string }>> => tx.rows(REPORT, [host, JSON.stringify(reports)]);

/** Deletes the row of a workload that its host has removed. */
export const deleteRemoved = (tx: Transaction, host: string, id: string): Promise<WokenRow[]> =>
  tx.rows<WokenRow>(
    `delete from workload w where w.id = $1 and w.host = $2 and w.wish = 'remove' returning ${WOKEN} -- hot: every end`,
    [id, host],
  );

const ON_LOST_HOST =
  'w.host is not null and not exists (select from host h where h.id::text = w.host and h.gone_at is null)';

/** Jobs of lost hosts fail: nobody knows whether they go on there, and training twice helps nobody. */
const FAIL_JOBS = `update workload w -- bulk: of all lost hosts
  set status = 'failed', carried_out = revision, finished_at = now(), host = null, updated_at = now(), reason =
    coalesce((select 'The machine ' || h.name || ', on which it ran, is gone.' from host h where h.id::text = w.host),
      'The machine on which it ran is gone.')
  where ${ON_LOST_HOST} and w.kind in ('training', 'export') and w.wish <> 'remove'
    and (w.status in ('pending', 'running') or carried_out < revision)
  returning ${WOKEN}`;

/** Services of lost hosts wait for another. */
const UNPLACE_SERVICES = `update workload w -- bulk: of all lost hosts
  set status = case wish when 'run' then 'pending' else 'stopped' end, host = null, endpoints = '[]',
    carried_out = case wish when 'run' then 0 else revision end, reason = 'Its host is gone.', updated_at = now()
  where ${ON_LOST_HOST} and w.kind = 'serving' and w.wish <> 'remove'
  returning ${WOKEN}`;

const DROP_REMOVED = `delete from workload w -- bulk: of all lost hosts
  where ${ON_LOST_HOST} and w.wish = 'remove'
  returning ${WOKEN}`;

/** What hosts that are gone or forgotten do not do any more, of wishes before or after they were taken for lost. */
export async function settleLostHosts(tx: Transaction): Promise<WokenRow[]> {
  const woken: WokenRow[] = [];
  for (const statement of [FAIL_JOBS, UNPLACE_SERVICES, DROP_REMOVED])
    woken.push(...(await tx.rows<WokenRow>(statement)));
  return woken;
}

/**
 * Says why what is wanted here does not happen, and where what was wanted before answers meanwhile; `isMoved` gives it to
 * another host.
 */
export const writeTrouble = (
  tx: Transaction,
  host: string,
  trouble: {
    readonly id: string;
    readonly revision: number;
    readonly reason: string;
    readonly isMoved: boolean;
    readonly endpoints: readonly string[];
  },
): Promise<WokenRow[]> =>
  tx.rows<WokenRow>(
    `update workload w -- hot: starts that fail
     set reason = $4, host = case when $5 then null else host end, status = case when $5 then 'pending' else status end,
       endpoints = $6::jsonb, updated_at = now()
     where w.id = $1 and w.host = $2 and w.revision = $3 and w.carried_out < w.revision
       and (w.reason is distinct from $4 or w.endpoints <> $6::jsonb or $5)
     returning ${WOKEN}`,
    [trouble.id, host, trouble.revision, trouble.reason, trouble.isMoved, JSON.stringify(trouble.endpoints)],
  );

const BEAT = `insert into host -- hot: every few seconds of every host
    (id, name, address, data_dir, memory_bytes, max_jobs, started_at, facts, seen_at, gone_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8::jsonb, date_trunc('milliseconds', clock_timestamp()), null)
  on conflict (id) do update set name = excluded.name, address = excluded.address, data_dir = excluded.data_dir,
    memory_bytes = excluded.memory_bytes, max_jobs = excluded.max_jobs, started_at = excluded.started_at,
    facts = excluded.facts, seen_at = excluded.seen_at, gone_at = null`;

/** In milliseconds of the database's clock, so that a time that was read can be compared with. */
export const writeBeat = (tx: Transaction, host: HostIdentity, facts: HostFacts): Promise<number> =>
  tx.execute(BEAT, [
    ...[host.id, host.name, host.address, host.dataDir, host.memoryBytes, host.maxJobs, host.startedAt],
    JSON.stringify(facts),
  ]);
