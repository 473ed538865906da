import type { Transaction } from '../orm/transaction.js';
import { OVER_STATUSES } from './deployment.types.js';

/** A deployment shows its devices with the commands that they were given. Lists hide the same ones. */
const OLD_COMMANDS = `
  -- bulk: ended commands that a tenant keeps no longer
  delete from edge_command where id = any(array(
    select c.id from edge_command c where c.tenant_id = $1 and c.finished_at < $2
      and c.state in ('succeeded', 'failed', 'expired') and not exists (
        select from deployment_device d where d.tenant_id = c.tenant_id and d.command_id = c.id)
    limit $3))`;

const OLD_LINES = `
  -- bulk: lines of deployments that a tenant keeps no longer
  delete from deployment_log where id = any(array(
    select l.id from deployment p
    join deployment_log l on l.tenant_id = p.tenant_id and l.deployment_id = p.id and l.at < $2
    where p.tenant_id = $1 and p.finished_at < $2 and p.status = any($4)
    limit $3))`;

/** Commands of a tenant that ended before `before`, to which no deployment refers; at most `limit`. */
export const removeCommandsBefore = (
  tx: Transaction,
  tenantId: string,
  before: Date,
  limit: number,
): Promise<number> => tx.execute(OLD_COMMANDS, [tenantId, before, limit]);

/** Lines written before `before`, of deployments that ended before it; at most `limit`. */
export const removeDeploymentLinesBefore = (
  tx: Transaction,
  tenantId: string,
  before: Date,
  limit: number,
): Promise<number> => tx.execute(OLD_LINES, [tenantId, before, limit, OVER_STATUSES]);
