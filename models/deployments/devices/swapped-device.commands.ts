import type { StreamEvent } from '../../../core/events/stream-event.js';
import type { InstalledChange } from '../../edge/installed/installed-model.commands.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { dispatch } from '../../outbox/dispatch.js';
import { deploymentLook } from '../follow-up/deployment-work.types.js';
import { DeviceEvents } from './device-events.js';
import { moveDevices } from './device-moves.sql.js';
import { findSwapped } from './swapped-devices.sql.js';

/** A look that holds the row may send the device back meanwhile: that is found once the row is free. $2 row id. */
const STILL_AS_FOUND = "d.id = $2 and d.step = 'succeeded' and not d.is_rollback";

/**
 * A device that says to have another version than a deployment brought to it, while that is under way or watched, has swapped
 * back: the version failed there after all. The durable work is called to follow that.
 * @param deviceId row id
 */
export async function failSwapped(
  tx: TenantTransaction,
  deviceId: string,
  changes: readonly InstalledChange[],
): Promise<readonly StreamEvent[]> {
  const deviceEvents = new DeviceEvents(tx.tenantId);
  for (const { model, from, to } of changes) {
    if (from === null) continue;
    const swapped = await findSwapped(tx, deviceId, model, from);
    const message = to === null ? 'It has the model no more.' : `It swapped back to version ${to}.`;
    for (const { id, deploymentId, attempt } of swapped) {
      const failed = `step = 'failed', failed_step = 'verifying', message = $3`;
      const moved = await moveDevices({ tx, deviceEvents }, failed, STILL_AS_FOUND, [id, message]);
      if (moved === 0) continue;
      await dispatch(tx, deploymentLook({ tenantId: tx.tenantId, deploymentId, attempt }));
    }
  }
  return deviceEvents.all;
}
