import type { Transaction } from '../orm/transaction.js';
import { holdTransactionLock } from '../orm/transaction-lock.js';
import type { HostLoad, WorkloadNeed } from './choose-host.rules.js';
import type { WokenRow } from '../outbox/wake.types.js';

/**
 * One at a time chooses hosts, takes them for lost or forgets them: memory is given away once, and nothing is placed on a
 * host that is lost meanwhile.
 */
export const holdPlacement = (tx: Transaction): Promise<void> =>
  holdTransactionLock(tx, 'workload-placement');

export interface Unplaced extends WorkloadNeed {
  readonly id: string;
  readonly name: string;
  readonly reason: string | null;
}

const NEED = `kind, spec->>'runtime' as runtime, coalesce(spec->>'origin', 'platform') as origin,
  memory_bytes * replicas as memory_bytes`;
const NOT_BEING_ERASED = 'tenant_id not in (select erased_tenant from tenant_deletion)';

/**
 * Limits per tenant, kind and runtime, and in total: one tenant's backlog does not delay others, nor what waits for a runtime
 * that no host has the rest of its tenant.
 */
const OF_EACH = 50;
const AT_ONCE = 1_000;

/** Workloads that are wanted and have no host, the oldest first. */
export const listUnplaced = (tx: Transaction): Promise<Unplaced[]> =>
  tx.rows<Unplaced>(
    `select id, name, reason, ${NEED}
     from (select *, row_number() over (partition by tenant_id, kind, spec->>'runtime' order by created_at, id) as place
       from workload where host is null and wish = 'run' and status = 'pending' and ${NOT_BEING_ERASED}) w
     where place <= $1 order by created_at, id limit $2`,
    [OF_EACH, AT_ONCE],
  );

/** What a workload needs that a host is to apply a change of; null when the change is not the last, or another host's. */
export async function findNeed(
  tx: Transaction,
  id: string,
  host: string,
  revision: number,
): Promise<(WorkloadNeed & { readonly replicas: number }) | null> {
  const [need] = await tx.rows<WorkloadNeed & { readonly replicas: number }>(
    `select ${NEED}, replicas from workload where id = $1 and host = $2 and revision = $3`,
    [id, host, revision],
  );
  return need ?? null;
}

/** What the workloads of each host may use, by their limits. */
export const loadOfHosts = (tx: Transaction): Promise<Array<HostLoad & { readonly host: string }>> =>
  tx.rows(
    `select host, sum(memory_bytes * replicas)::float8 as reserved_bytes,
       coalesce(sum(memory_bytes * replicas) filter (where status = 'pending' and wish = 'run'), 0)::float8 as starting_bytes,
       count(*) filter (where kind = 'training')::int as jobs
     from workload where host is not null and (status in ('pending', 'running') or carried_out < revision)
     group by host`,
  );

export interface Assignment {
  readonly id: string;
  /** Null: it goes on waiting, for the reason. */
  readonly host: string | null;
  readonly reason: string;
}

const ASSIGN = `update workload w -- bulk: those that wait, of all tenants
  set host = c.host, reason = c.reason, updated_at = now()
  from jsonb_to_recordset($1::jsonb) as c(id uuid, host text, reason text)
  where w.id = c.id and w.host is null
  returning w.tenant_id, w.workflow_id, w.workflow_signal`;

export const assignHosts = (tx: Transaction, assignments: readonly Assignment[]): Promise<WokenRow[]> =>
  assignments.length === 0 ? Promise.resolve([]) : tx.rows<WokenRow>(ASSIGN, [JSON.stringify(assignments)]);
