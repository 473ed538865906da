import { sql } from 'kysely';

/** Runs of an experiment `e`, without those that are deleted. */
export const RUN_COUNT = sql<number>`(select count(*) from tracker_run r
  where r.tenant_id = e.tenant_id and r.experiment = e.id and r.lifecycle = 'active')`;
