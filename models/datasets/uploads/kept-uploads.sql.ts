import type { Transaction } from '../../orm/transaction.js';
import type { Retained } from '../../tenants/retention.types.js';

const DAYS_AGO = "now() - make_interval(days => (v.retention ->> 'uploads_days')::int)";

/**
 * Since when a session must have been touched to be kept: by the policy of the device that opened it, else by its tenant.
 * @param upload name of `dataset_upload` in the statement
 */
export const keptSince = (upload: string): string => `coalesce(
  (select ${DAYS_AGO} from edge_upload e join edge_device v on v.tenant_id = e.tenant_id and v.id = e.device_id
    where e.tenant_id = ${upload}.tenant_id and e.id = ${upload}.id),
  retention_cutoff(${upload}.tenant_id, 'uploads'), '-infinity')`;

/** Sessions `u` that are kept no longer are not there, whether they are removed already or not. */
export const IS_KEPT = `(u.state = 'assembling' or u.touched_at >= ${keptSince('u')})`;

const RETAINED_UPLOADS = `
  select t.id as tenant_id, l.before from tenant t cross join lateral (
    select greatest(retention_cutoff(t.id, 'uploads'),
      (select max(${DAYS_AGO}) from edge_device v where v.tenant_id = t.id)) as before) l
  where l.before is not null and t.id not in (select erased_tenant from tenant_deletion)
  order by t.id`;

/** Tenants that limit uploads, or have a device that does. `before`: the latest limit among them. */
export const listRetainedUploads = (tx: Transaction): Promise<Retained[]> =>
  tx.rows<Retained>(RETAINED_UPLOADS);
