import type { WorkloadStatus } from '../../core/ports/workload-runner.js';
import type { Database } from '../orm/in-tenant.js';
import type { PlatformTransaction } from '../orm/transaction.js';
import { Host } from './host.entity.js';
import { Workload } from './workload.entity.js';

/** What becomes of a workload that runs on a host and that no row knows. */
export type Found = 'adopted' | 'awaited' | 'unwanted';

/**
 * Release 0.1 kept workloads on disk alone. A training that is still wanted gets its row here, on the host that runs it;
 * an endpoint gets it from its own workflow, so that it is left alone until then.
 */
export const adoptWorkload = (db: Database, host: string, status: WorkloadStatus): Promise<Found> =>
  db.inPlatform(async (tx) => {
    const { tenant, experiment, endpoint } = status.labels;
    // It is written down once its host is: what is placed on an unknown one is taken for lost.
    if ((await tx.em.count(Host, { id: host, goneAt: null })) === 0) return 'awaited';
    if (tenant !== undefined && experiment !== undefined) return adoptTraining(tx, host, status);
    if (tenant === undefined || endpoint === undefined) return 'unwanted';
    const isKnown = await tx.kysely
      .selectFrom('serving_endpoint as e')
      .leftJoin('workload as w', 'w.name', 'e.workloadId')
      .select('e.id')
      .where('e.tenantId', '=', tenant)
      .where('e.workloadId', '=', status.id)
      .where('w.id', 'is', null)
      .executeTakeFirst();
    return isKnown ? 'awaited' : 'unwanted';
  });

async function adoptTraining(
  tx: PlatformTransaction,
  host: string,
  { id: name, labels, phase, message }: WorkloadStatus,
): Promise<Found> {
  const { tenant: tenantId = '', experiment: ownerId = '' } = labels;
  const attempt = Number(labels.attempt);
  const experiment = await tx.kysely
    .selectFrom('training_experiment as e')
    .leftJoin('workload as w', (join) => join.on('w.name', '=', name))
    .select(['e.framework', 'w.id as workloadId'])
    .where('e.tenantId', '=', tenantId)
    .where('e.id', '=', ownerId)
    .where('e.attempt', '=', attempt)
    .where('e.status', 'not in', ['SUCCEEDED', 'FAILED', 'CANCELED'])
    .forNoKeyUpdate('e')
    .executeTakeFirst();
  if (!experiment || experiment.workloadId !== null) return 'unwanted';
  tx.em.create(Workload, {
    ...{ tenantId, name, ownerId, attempt, host, kind: 'training', status: phase, reason: message },
    // Nothing of it is started again: the job is on its host's disk.
    spec: {
      ...{ kind: 'job', runtime: experiment.framework, entrypoint: 'train.py', args: [], labels: {} },
      ...{ origin: 'platform', files: [], downloads: [], limits: { memoryBytes: 0, timeoutS: null } },
    },
  });
  await tx.em.flush();
  return 'adopted';
}
