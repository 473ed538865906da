import type { EventBus } from '../../core/ports/event-bus.js';
import { deleteDevice } from '../../models/edge/devices/device.commands.js';
import type { DeviceFollower } from '../../models/edge/devices/device-follower.js';
import { removeRecordsOf } from '../../models/edge/fleet.platform.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { Caller } from '../http/routing/request-context.js';
import { deletedEvent } from './edge-events.js';

/** Time for removing records at once; maintenance removes what is left then. Nobody can read it any more. */
const AT_ONCE_MS = 10_000;

/** Removes a device for good, with all that it sent. */
export class DeviceRemovalService {
  constructor(
    private readonly db: Database,
    private readonly events: EventBus,
    private readonly follow: DeviceFollower,
  ) {}

  /** @returns false where so many records are left that they are removed later */
  async delete(caller: Caller, key: string): Promise<boolean> {
    const { tenantId } = caller.tenant;
    const number = await this.db.inTenant(tenantId, (tx) => deleteDevice(tx, caller.actor, key, this.follow));
    this.events.publish([deletedEvent({ tenantId, key })]);
    const until = Date.now() + AT_ONCE_MS;
    while (Date.now() < until) {
      if ((await removeRecordsOf(this.db, number)) === 0) return true;
    }
    return false;
  }
}
