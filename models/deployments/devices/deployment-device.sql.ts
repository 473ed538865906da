import { wakeDevices } from '../../edge/commands/wake-devices.sql.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import type { CommandMove } from './device-events.js';
import { type Deployed, endCommands, moveDevices, type Moving, type MovingOf } from './device-moves.sql.js';
import type { TargetDevice } from './target.queries.js';

/** The type of the command that carries a deployment to a device. */
export const DEPLOY = 'deploy';

/** Adds every device of a new deployment with its group. */
export const insertDevices = (
  tx: TenantTransaction,
  { id, modelId }: Deployed,
  version: number,
  devices: readonly (TargetDevice & { readonly groupNo: number })[],
): Promise<number> =>
  tx.execute(
    `-- bulk: every device of a selection
     insert into deployment_device (tenant_id, deployment_id, model_id, device_id, device_key, group_no, from_version, version)
     select $1, $2, $3, device_id, device_key, group_no, from_version, $4
     from unnest($5::uuid[], $6::text[], $7::int[], $8::int[]) as t (device_id, device_key, group_no, from_version)`,
    [
      ...[tx.tenantId, id, modelId, version],
      ...[devices.map((device) => device.id), devices.map(({ key }) => key)],
      ...[devices.map(({ groupNo }) => groupNo), devices.map(({ fromVersion }) => fromVersion)],
    ],
  );

/** What a command of the deployment carries beside the version, which is the device's own. */
export interface CommandFacts {
  readonly modelName: string;
  /** In place of the version's own; the way back leads to what a version has of its own. */
  readonly image: string | null;
  /** Sha256 of the file, by version, where a version has one file. */
  readonly sha256: Readonly<Record<number, string>>;
  readonly expiresAt: Date | null;
}

/**
 * Writes the command for devices of a group that have none yet, the first by key, and calls them. A device that is off
 * gets it when it returns.
 * @returns how many were asked
 */
export async function askDevices(
  { tx, deviceEvents, deployment }: MovingOf,
  groupNo: number,
  { modelName, image, sha256, expiresAt }: CommandFacts,
  limit: number,
): Promise<number> {
  const asked = await tx.rows<CommandMove & { readonly deviceId: string }>(
    `-- bulk: a batch of the devices of a group
     with asked as (
       select id, device_id, version, is_rollback, gen_random_uuid() as command_id from deployment_device
       where tenant_id = $1 and deployment_id = $2 and group_no <= $3 and step = 'queued' and command_id is null
         and device_id is not null
       order by group_no, device_key limit $4 for update),
     commands as (
       insert into edge_command (id, tenant_id, device_id, type, args, expires_at)
       select command_id, $1, device_id, '${DEPLOY}', jsonb_strip_nulls(jsonb_build_object('deployment_id', $2::uuid,
         'model_name', $5::text, 'version', version, 'image', case when is_rollback then null else $6::text end,
         'sha256', $7::jsonb ->> version::text)), $8
       from asked
       returning id)
     update deployment_device d set command_id = c.id, started_at = coalesce(d.started_at, now()), updated_at = now()
     from asked a join commands c on c.id = a.command_id
     where d.tenant_id = $1 and d.id = a.id
     returning d.command_id, d.device_id, d.device_key`,
    [tx.tenantId, deployment.id, groupNo, limit, modelName, image, JSON.stringify(sha256), expiresAt],
  );
  await wakeDevices(
    tx,
    asked.map(({ deviceId }) => deviceId),
  );
  deviceEvents.commands('pending', asked);
  return asked.length;
}

/** Devices `d` of a new deployment that one which has ended or goes back left. $2 model, $3 devices. */
const LEFT = `d.model_id = $2 and d.device_id = any($3::uuid[]) and d.finished_at is null
  and exists (select 1 from deployment p where p.tenant_id = d.tenant_id and p.id = d.deployment_id
    and p.status in ('SUCCEEDED', 'FAILED', 'ABORTED', 'ROLLING_BACK', 'ROLLED_BACK'))`;

/** Ends what devices still have to do of deployments that have ended or go back: another one takes them. */
export async function supersedeEnded(
  moving: Moving,
  modelId: string,
  deviceIds: readonly string[],
): Promise<void> {
  await endCommands(moving, 'false', LEFT, [modelId, deviceIds]);
  const taken = `step = 'canceled', progress = null, finished_at = now(),
    message = 'Another deployment took its place.'`;
  await moveDevices(moving, taken, LEFT, [modelId, deviceIds]);
}

/** A device that was deleted cannot do it any more, which is no failure of the version. @returns how many devices */
export const cancelDeleted = (of: MovingOf): Promise<number> =>
  moveDevices(
    of,
    `step = 'canceled', message = 'The device was deleted.', progress = null, finished_at = now()`,
    'd.deployment_id = $2 and d.device_id is null and d.finished_at is null',
    [of.deployment.id],
  );
