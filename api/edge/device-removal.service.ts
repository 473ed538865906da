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

  /** @returns false where records are left, which are removed later: so many, or the database went away */
  async delete(caller: Caller, key: string): Promise<boolean> {
    const { tenantId } = caller.tenant;
    const number = await this.db.inTenant(tenantId, (tx) => deleteDevice(tx, caller.actor, key, this.follow));
    this.events.publish([deletedEvent({ tenantId, key })]);
    return this.removeRecords(number);
  }

  private async removeRecords(number: number): Promise<boolean> {
    const until = Date.now() + AT_ONCE_MS;
    try {
      while (Date.now() < until) {
        if ((await removeRecordsOf(this.db, number)) === 0) return true;
      }
    } catch {
      // The device is gone: an error would say that it is not.
    }
    return false;
  }
}
