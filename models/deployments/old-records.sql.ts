import type { Transaction } from '../orm/transaction.js';
import { listRetained } from '../tenants/retention.sql.js';

const BATCH = 5000;
const TENANTS = 'unnest($1::uuid[], $2::timestamptz[]) as r (tenant_id, before)';

/** A deployment shows its devices with the commands that they were given. */
const OLD_COMMANDS = `
  -- bulk: ended commands of tenants that limit their logs
  delete from edge_command where id = any(array(
    select c.id from ${TENANTS} join edge_command c on c.tenant_id = r.tenant_id and c.finished_at < r.before
    where c.state in ('succeeded', 'failed', 'expired') and not exists (
      select from deployment_device d where d.tenant_id = c.tenant_id and d.command_id = c.id)
    limit $3))`;

const OLD_LINES = `
  -- bulk: lines of deployments of tenants that limit their logs
  delete from deployment_log where id = any(array(
    select l.id from ${TENANTS} join deployment p on p.tenant_id = r.tenant_id and p.finished_at < r.before
      and p.status in ('SUCCEEDED', 'FAILED', 'ABORTED', 'ROLLED_BACK')
    join deployment_log l on l.tenant_id = p.tenant_id and l.deployment_id = p.id and l.at < r.before
    limit $3))`;

/** Removes a batch of commands that have ended, to which no deployment refers. @returns how many */
export const removeOldCommands = (tx: Transaction): Promise<number> => remove(tx, OLD_COMMANDS);

/** Removes a batch of lines of deployments that have ended. @returns how many */
export const removeOldLines = (tx: Transaction): Promise<number> => remove(tx, OLD_LINES);

/** By the days for which each tenant keeps logs. */
async function remove(tx: Transaction, statement: string): Promise<number> {
  const retained = await listRetained(tx, 'logs');
  if (retained.length === 0) return 0;
  const tenants = retained.map(({ tenantId }) => tenantId);
  return tx.execute(statement, [tenants, retained.map(({ before }) => before), BATCH]);
}
