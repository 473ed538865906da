import { MAX_PLAIN_LIST } from '../../core/paging/page.js';
import type { TenantTransaction } from '../orm/transaction.js';
import type { DeviceStep } from './deployment.types.js';

export interface DeploymentLogRow {
  readonly at: Date;
  readonly step: DeviceStep | null;
  readonly deviceKey: string | null;
  readonly message: string;
}

/** The latest 1,000 lines, oldest first, with how many there are. @param step null: of any, and of the deployment itself */
export async function listDeploymentLog(
  tx: TenantTransaction,
  deploymentId: string,
  step: DeviceStep | null,
): Promise<{ readonly items: readonly DeploymentLogRow[]; readonly total: number }> {
  const lines = tx.kysely
    .selectFrom('deployment_log')
    .where('tenantId', '=', tx.tenantId)
    .where('deploymentId', '=', deploymentId)
    .$if(step !== null, (all) => all.where('step', '=', step as DeviceStep));
  const { total } = await lines
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const items = await lines
    .select(['at', 'step', 'deviceKey', 'message'])
    .orderBy('id', 'desc')
    .limit(MAX_PLAIN_LIST)
    .execute();
  return { items: items.reverse(), total };
}
