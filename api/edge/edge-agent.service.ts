import { fieldError, unprocessable } from '../../core/errors/app-error.js';
import type { Clock } from '../../core/ports/clock.js';
import type { EventBus } from '../../core/ports/event-bus.js';
import type { Actor } from '../../models/audit/audit.types.js';
import type { DeviceCaller } from '../../models/edge/devices/device-caller.types.js';
import { registerDevice } from '../../models/edge/devices/device.commands.js';
import { deviceStatus, type SeenDevice } from '../../models/edge/devices/device-status.rules.js';
import type { InstalledFollower } from '../../models/edge/devices/device-follower.js';
import { type DeviceRow, requireDevice } from '../../models/edge/devices/device.queries.js';
import { deletedDevice, inDevice } from '../../models/edge/devices/in-device.js';
import { DEFAULT_POLICY } from '../../models/edge/policy/policy.rules.js';
import { reportAppliedRevision } from '../../models/edge/heartbeats/snapshot.commands.js';
import type { HeartbeatWriter } from '../../models/edge/device-writers.platform.js';
import type { TenantDatabase } from '../../models/orm/tenant-lane.js';
import type { HeartbeatBody, RegisterBody } from './edge-agent.schemas.js';
import { heartbeatEvent } from './edge-events.js';

const MAX_PAYLOAD_CHARS = 65_536;

/** Its interval says nothing of its status at the moment of its heartbeat. */
const justHeard = ({ isBlocked, registeredAt }: DeviceCaller, lastHeartbeatAt: Date): SeenDevice => ({
  ...{ isBlocked, registeredAt, lastHeartbeatAt },
  heartbeatIntervalS: DEFAULT_POLICY.heartbeatIntervalS,
});

/** What a device says of itself, and what it is to follow. */
export class EdgeAgentService {
  constructor(
    private readonly db: TenantDatabase,
    private readonly writer: HeartbeatWriter,
    private readonly events: EventBus,
    private readonly clock: Clock,
    private readonly follow: InstalledFollower,
  ) {}

  async register(caller: DeviceCaller, actor: Actor, body: RegisterBody): Promise<DeviceRow> {
    const { os, sdk_version: sdkVersion, models } = body;
    const said = { os, sdkVersion, location: body.location?.trim() || null, models };
    const { device, news } = await inDevice(this.db, caller, (tx) =>
      registerDevice(tx, actor, caller.key, said, this.clock.now(), this.follow),
    );
    this.events.publish([heartbeatEvent(caller, device), ...news]);
    return device;
  }

  /** Answered once it is durable. */
  async heartbeat(caller: DeviceCaller, body: HeartbeatBody): Promise<Date> {
    const payload = JSON.stringify(body.payload ?? {});
    if (payload.length > MAX_PAYLOAD_CHARS)
      throw unprocessable([fieldError(['body', 'payload'], 'must be at most 64 KiB of JSON')]);
    const { cpu = null, gpu = null, mem = null, disk = null, policy_revision = null } = body;
    const written = await this.writer.write({
      ...{ device: caller, cpu, gpu, mem, disk, payload, appliedRevision: policy_revision },
    });
    if (written === null) throw deletedDevice();
    const { receivedAt } = written;
    const status = deviceStatus(receivedAt, justHeard(caller, receivedAt));
    this.events.publish([heartbeatEvent(caller, { status, cpu, gpu, mem, disk })]);
    return receivedAt;
  }

  /** @param appliedRevision that the device follows already; null: it does not say */
  config(caller: DeviceCaller, appliedRevision: number | null): Promise<DeviceRow> {
    return inDevice(this.db, caller, async (tx) => {
      const device = await requireDevice(tx, caller.key);
      if (appliedRevision !== null && appliedRevision !== device.appliedRevision)
        await reportAppliedRevision(tx, device.number, appliedRevision);
      return device;
    });
  }
}
