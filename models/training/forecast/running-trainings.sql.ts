import type { Transaction } from '../../orm/transaction.js';
import type { RunningTraining } from './forecast.rules.js';

const RUNNING = `select coalesce(s.progress, 0)::float8 as progress,
    extract(epoch from now() - s.started_at)::float8 as elapsed_s
  from workload w
  left join training_step s on s.tenant_id = w.tenant_id and s.experiment_id = w.owner_id and s.attempt = w.attempt
    and s.key = 'train'
  where w.kind = 'training' and w.host is not null and w.wish = 'run' and w.status in ('pending', 'running')
  limit 1000`;

/** All of the installation, as platform: they take the places that others wait for. */
export const listRunningTrainings = (tx: Transaction): Promise<RunningTraining[]> =>
  tx.rows<RunningTraining>(RUNNING);
