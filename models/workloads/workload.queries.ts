import type { TenantTransaction } from '../orm/transaction.js';
import { stateOf } from './workload.rules.js';
import type { WorkloadState } from './workload.types.js';

/** Null when there is no such workload: it never was, or its host has removed it. */
export async function findWorkload(tx: TenantTransaction, name: string): Promise<WorkloadState | null> {
  const row = await tx.kysely
    .selectFrom('workload')
    .select(['wish', 'revision', 'appliedRevision', 'status', 'reason', 'endpoints', 'startedAt'])
    .where('name', '=', name)
    .executeTakeFirst();
  return row ? stateOf(row) : null;
}

/** When a workload was asked for; null when there is none. */
export async function findAskedAt(tx: TenantTransaction, name: string): Promise<Date | null> {
  const row = await tx.kysely
    .selectFrom('workload')
    .where('tenantId', '=', tx.tenantId)
    .where('name', '=', name)
    .select('createdAt')
    .executeTakeFirst();
  return row?.createdAt ?? null;
}

/** What the log of an instance of a service is copied from; null when nothing of it is stored. */
export async function findLogOrigin(
  tx: TenantTransaction,
  workloadId: string,
  instance: number,
): Promise<string | null> {
  const row = await tx.kysely
    .selectFrom('workload_log')
    .select('origin')
    .where('workloadId', '=', workloadId)
    .where('instance', '=', instance)
    .executeTakeFirst();
  return row?.origin ?? null;
}

/** The last text of an instance that the release before kept; empty where there is none. */
export async function readWorkloadLog(
  tx: TenantTransaction,
  name: string,
  instance: number,
): Promise<string> {
  const row = await tx.kysely
    .selectFrom('workload_log as l')
    .innerJoin('workload as w', 'w.id', 'l.workloadId')
    .select('l.tail')
    .where('w.name', '=', name)
    .where('l.instance', '=', instance)
    .executeTakeFirst();
  return row?.tail ?? '';
}
