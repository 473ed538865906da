/** Below this share a training reads its data (runtime contract): progress beyond it is that of its rounds. */
const READ = 0.15;
/** What comes after the rounds comes again, however far the attempt before had come. */
const ROUNDS_END = 0.9;

/** The progress of a run that was reported first or last beyond the reading of data. */
const reported = (run: string, order: 'asc' | 'desc') => `left join lateral (
    select p.value, extract(epoch from now())::float8 - p.ts / 1000.0::float8 as ago_s from metric_point p
    where p.run = ${run} and p.key = k.id and p.value > ${READ} and p.value <= 1
    order by p.step ${order}, p.ts ${order} limit 1)`;

/** As RunningTraining has it, of the current attempt of an experiment `e`. */
const COLUMNS = `extract(epoch from now() - s.started_at)::float8 as elapsed_s,
  coalesce(least(b.value, ${ROUNDS_END}), 0)::float8 as begun_at,
  f.value as first_progress, f.ago_s as first_ago_s, l.value as latest_progress, l.ago_s as latest_ago_s`;

const OF_EXPERIMENT = `
  left join training_step s on s.tenant_id = e.tenant_id and s.experiment_id = e.id and s.attempt = e.attempt
    and s.key = 'train'
  left join tracker_run r on r.tenant_id = e.tenant_id and r.run_id = e.tracker_run_id
  left join tracker_run o on o.tenant_id = e.tenant_id and o.run_id = e.resume_run_id
  left join metric_key k on k.tenant_id = e.tenant_id and k.name = 'system/progress'
  ${reported('r.id', 'asc')} f on true
  ${reported('r.id', 'desc')} l on true
  ${reported('o.id', 'desc')} b on true`;

/** $1 tenant, $2 experiment. */
export const RUNNING_TRAINING = `select ${COLUMNS} from training_experiment e ${OF_EXPERIMENT}
  where e.tenant_id = $1 and e.id = $2`;

/** Those of all tenants. $1 how many at most. */
export const RUNNING_TRAININGS = `select ${COLUMNS} from workload w
  join training_experiment e on e.tenant_id = w.tenant_id and e.id = w.owner_id and e.attempt = w.attempt
  ${OF_EXPERIMENT}
  where w.kind = 'training' and w.host is not null and w.wish = 'run' and w.status in ('pending', 'running')
  limit $1`;
