import type { TenantTransaction } from '../../orm/transaction.js';
import type { Deployed } from './deployment-device.sql.js';

/** The lease of a delivered command `c` still runs: its device may have it in its hands. */
const IN_HAND = 'coalesce(c.lease_until > now(), false)';
const IS_OVER = `(c.expires_at <= now() and not ${IN_HAND})`;

/**
 * Ends commands of devices that still have the deployment to do. One whose lease runs ends with it: its device may carry it
 * out until then, and nobody gets it again. Whatever poll is just getting one is waited for.
 */
const withdraw = (tx: TenantTransaction, { id }: Deployed, which: string): Promise<number> =>
  tx.execute(
    `-- bulk: devices that have not begun
     update edge_command c set updated_at = now(),
       state = case when ${IN_HAND} then c.state else 'expired' end,
       expires_at = least(c.expires_at, greatest(c.lease_until, now())),
       lease_until = case when ${IN_HAND} then c.lease_until end,
       finished_at = case when ${IN_HAND} then null else now() end
     from deployment_device d
     where d.tenant_id = $1 and d.deployment_id = $2 and d.finished_at is null
       and c.tenant_id = $1 and c.id = d.command_id and c.state in ('pending', 'delivered') and ${which}`,
    [tx.tenantId, id],
  );

/** Devices that have not begun are those that did not say so. */
const withdrawUnbegun = (tx: TenantTransaction, deployment: Deployed): Promise<number> =>
  withdraw(tx, deployment, `(c.progress is null or ${IS_OVER})`);

/** A device `d` that still has it to do and holds no command that it could carry out. $1 tenant, $2 deployment. */
const HAS_NONE = `d.tenant_id = $1 and d.deployment_id = $2 and d.finished_at is null
  and not exists (select 1 from edge_command c
    where c.tenant_id = d.tenant_id and c.id = d.command_id and c.state <> 'expired')`;

/** Devices whose command has expired are to be asked again. @returns how many devices */
export async function freeExpired(tx: TenantTransaction, deployment: Deployed): Promise<number> {
  await withdraw(tx, deployment, IS_OVER);
  return tx.execute(
    `-- bulk: devices whose command has expired
     update deployment_device d set command_id = null, step = 'queued', progress = null, updated_at = now()
     where ${HAS_NONE} and d.command_id is not null`,
    [tx.tenantId, deployment.id],
  );
}

/** Takes back what no device has begun; it is asked again later. @returns how many devices */
export async function takeBackCommands(tx: TenantTransaction, deployment: Deployed): Promise<number> {
  await withdrawUnbegun(tx, deployment);
  return freeExpired(tx, deployment);
}

/** Devices that have not begun are not asked any more. @returns how many devices */
export async function cancelUnstarted(tx: TenantTransaction, deployment: Deployed): Promise<number> {
  await withdrawUnbegun(tx, deployment);
  return tx.execute(
    `-- bulk: devices that have not begun
     update deployment_device d set step = 'canceled', progress = null, finished_at = now(), updated_at = now()
     where ${HAS_NONE}`,
    [tx.tenantId, deployment.id],
  );
}

const NEXT_EXPIRY = `
  select least($3::timestamptz, min(greatest(c.expires_at, c.lease_until))) as at
  from deployment_device d join edge_command c on c.tenant_id = d.tenant_id and c.id = d.command_id
  where d.tenant_id = $1 and d.deployment_id = $2 and d.finished_at is null
    and c.state in ('pending', 'delivered') and c.expires_at is not null`;

/**
 * When the next command of the deployment is over without a word of its device; null: none ends by itself.
 * @param latest something else changes then
 */
export const nextExpiry = async (
  tx: TenantTransaction,
  { id }: Deployed,
  latest: Date | null,
): Promise<Date | null> =>
  (await tx.rows<{ at: Date | null }>(NEXT_EXPIRY, [tx.tenantId, id, latest]))[0]?.at ?? null;
