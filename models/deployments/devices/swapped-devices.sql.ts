import type { TenantTransaction } from '../../orm/transaction.js';
import { STILL_HAS_IT } from './device-moves.sql.js';

/** A device of a deployment that is under way or watched, and which has its version as far as is known. */
export interface HeldDevice {
  readonly id: string;
  readonly deploymentId: string;
  readonly attempt: number;
}

/** Deployments that brought this version to a device, and are not over, by id. @param deviceId row id @param model its name */
export const findSwapped = (
  tx: TenantTransaction,
  deviceId: string,
  model: string,
  version: number,
): Promise<HeldDevice[]> =>
  tx.rows<HeldDevice>(
    `select d.id, d.deployment_id, p.attempt
     from deployment_device d
     join deployment p on p.tenant_id = d.tenant_id and p.id = d.deployment_id
     join model m on m.tenant_id = d.tenant_id and m.id = d.model_id
     where d.tenant_id = $1 and d.device_id = $2 and m.name = $3 and d.version = $4 and d.step = 'succeeded'
       and not d.is_rollback and (p.status in ('IN_PROGRESS', 'PAUSED') or p.is_watched) and ${STILL_HAS_IT}
     order by d.deployment_id`,
    [tx.tenantId, deviceId, model, version],
  );
