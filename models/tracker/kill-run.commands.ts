import { conflict, notFound } from '../../core/errors/app-error.js';
import { audit } from '../audit/audit.commands.js';
import type { Actor } from '../audit/audit.types.js';
import type { TenantTransaction } from '../orm/transaction.js';
import { TrackerRun } from './tracker-run.entity.js';

/** @throws AppError conflict when it has ended */
export function assertActive(status: string): void {
  if (status !== 'RUNNING' && status !== 'SCHEDULED')
    throw conflict(`The run has ended already: it is ${status}.`, { status });
}

/**
 * Ends an active run that no training of the platform drives any more.
 * @throws AppError not_found, conflict when it has ended
 */
export async function killRun(tx: TenantTransaction, actor: Actor, runId: string): Promise<void> {
  const held = await tx.kysely
    .selectFrom('tracker_run')
    .where('tenantId', '=', tx.tenantId)
    .where('runId', '=', runId)
    .where('lifecycle', '=', 'active')
    .select('id')
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!held) throw notFound('Run');
  const run = await tx.em.findOneOrFail(TrackerRun, { id: held.id }, { refresh: true });
  assertActive(run.status);
  const now = new Date();
  Object.assign(run, { status: 'KILLED', isJobOpen: false, finishedAt: now, updatedAt: now });
  await tx.em.flush();
  await audit(tx, tx.tenantId, actor, {
    action: 'run.terminate',
    target: { kind: 'run', id: run.runId, label: run.name },
  });
}
