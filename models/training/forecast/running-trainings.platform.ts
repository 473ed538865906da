import { sql } from 'kysely';
import type { PlatformTransaction } from '../../orm/transaction.js';
import type { RunningTraining } from './forecast.rules.js';

const MOST = 1000;

/** All of the installation: they take the places that others wait for. */
export const listRunningTrainings = (tx: PlatformTransaction): Promise<RunningTraining[]> =>
  tx.kysely
    .selectFrom('workload as w')
    .leftJoin('training_step as s', (join) =>
      join
        .onRef('s.tenantId', '=', 'w.tenantId')
        .onRef('s.experimentId', '=', 'w.ownerId')
        .onRef('s.attempt', '=', 'w.attempt')
        .on('s.key', '=', 'train'),
    )
    .where('w.kind', '=', 'training')
    .where('w.host', 'is not', null)
    .where('w.wish', '=', 'run')
    .where('w.status', 'in', ['pending', 'running'])
    .select(({ fn, val }) => fn.coalesce('s.progress', val(0)).as('progress'))
    .select(sql<number | null>`extract(epoch from now() - s.started_at)::float8`.as('elapsedS'))
    .limit(MOST)
    .execute();
