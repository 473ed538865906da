import { toListQuery } from '../../core/paging/page.js';
import type { Clock } from '../../core/ports/clock.js';
import type { EventBus } from '../../core/ports/event-bus.js';
import type { KeyRing } from '../../core/security/key-ring.js';
import { firstCharacters } from '../../core/text/line-text.js';
import { blockDevice, createDevice, relocateDevice } from '../../models/edge/devices/device.commands.js';
import { DEVICE_SORTS } from '../../models/edge/devices/fleet-order.js';
import {
  type DeviceRow,
  findDevice,
  type Fleet,
  listFleet,
  requireDevice,
} from '../../models/edge/devices/device.queries.js';
import { DEFAULT_SCOPES, requireScopes } from '../../models/edge/devices/device-scopes.rules.js';
import { changeScopes, revokeToken, rotateToken } from '../../models/edge/devices/token.commands.js';
import type { Feed, FeedQuery } from '../../models/edge/feeds/record-feed.rules.js';
import { type HeartbeatRow, listHeartbeats } from '../../models/edge/heartbeats/heartbeat.queries.js';
import { type PolicyChanges, updatePolicy } from '../../models/edge/policy/policy.commands.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { TenantTransaction } from '../../models/orm/transaction.js';
import { newAccessToken } from '../auth/access-token-text.js';
import { assertModelOfVersion } from '../http/routing/model-of-version.js';
import type { Caller } from '../http/routing/request-context.js';
import type { DeviceCreate, FleetQuery } from './devices.schemas.js';
import { heartbeatEvent } from './edge-events.js';

/** A device with a token that nobody can read again. */
export interface DeviceWithToken {
  /** The id people use. */
  readonly key: string;
  readonly token: string;
  readonly scopes: readonly string[];
  readonly expiresAt: Date;
}

/** Blank is nothing. */
const textOrNull = (text: string | null | undefined): string | null => {
  const trimmed = text?.trim();
  return trimmed ? firstCharacters(trimmed, 200) : null;
};

/** What people do with devices. */
export class DevicesService {
  constructor(
    private readonly db: Database,
    private readonly keys: KeyRing,
    private readonly events: EventBus,
    private readonly clock: Clock,
  ) {}

  fleet(caller: Caller, query: FleetQuery): Promise<Fleet> {
    const list = toListQuery(query, DEVICE_SORTS);
    const { status = null, location = null, model = null, version = null } = query;
    const { dataset_digest: datasetDigest = null } = query;
    assertModelOfVersion(query);
    const filter = { status, location, model, version, datasetDigest };
    return this.in(caller, (tx) => listFleet(tx, list, query, filter));
  }

  read(caller: Caller, key: string): Promise<DeviceRow> {
    return this.in(caller, (tx) => requireDevice(tx, key));
  }

  async exists(caller: Caller, key: string): Promise<boolean> {
    return (await this.in(caller, (tx) => findDevice(tx, key))) !== null;
  }

  async create(caller: Caller, body: DeviceCreate): Promise<DeviceWithToken> {
    const { token, hash: tokenHash, keyId } = newAccessToken(this.keys, 'device');
    const wanted = {
      key: body.id,
      location: textOrNull(body.location),
      os: textOrNull(body.os),
      sdkVersion: textOrNull(body.sdk_version),
      scopes: requireScopes(body.scopes ?? DEFAULT_SCOPES),
    };
    const device = await this.in(caller, (tx) =>
      createDevice(tx, caller.actor, wanted, { tokenHash, keyId }, this.clock.now()),
    );
    return { key: device.key, token, scopes: device.scopes, expiresAt: device.expiresAt };
  }

  relocate(caller: Caller, key: string, location: string | null): Promise<DeviceRow> {
    return this.in(caller, (tx) => relocateDevice(tx, caller.actor, key, textOrNull(location)));
  }

  async rotate(caller: Caller, key: string): Promise<DeviceWithToken> {
    const { token, hash: tokenHash, keyId } = newAccessToken(this.keys, 'device');
    const { scopes, expiresAt } = await this.in(caller, (tx) =>
      rotateToken(tx, caller.actor, key, { tokenHash, keyId }, this.clock.now()),
    );
    return { key, token, scopes, expiresAt };
  }

  revoke(caller: Caller, key: string): Promise<DeviceRow> {
    return this.in(caller, async (tx) => {
      await revokeToken(tx, caller.actor, key, this.clock.now());
      return requireDevice(tx, key);
    });
  }

  changeScopes(caller: Caller, key: string, given: readonly string[]): Promise<DeviceRow> {
    const scopes = requireScopes(given);
    return this.in(caller, async (tx) => {
      await changeScopes(tx, caller.actor, key, scopes);
      return requireDevice(tx, key);
    });
  }

  async block(caller: Caller, key: string, isBlocked: boolean): Promise<DeviceRow> {
    const device = await this.in(caller, (tx) => blockDevice(tx, caller.actor, key, isBlocked));
    this.events.publish([heartbeatEvent({ tenantId: caller.tenant.tenantId, key }, device)]);
    return device;
  }

  setPolicy(caller: Caller, key: string, changes: PolicyChanges): Promise<DeviceRow> {
    return this.in(caller, (tx) => updatePolicy(tx, caller.actor, key, changes));
  }

  heartbeats(caller: Caller, key: string, query: FeedQuery): Promise<Feed<HeartbeatRow>> {
    return this.in(caller, (tx) => listHeartbeats(tx, key, query));
  }

  private in<T>({ tenant }: Caller, work: (tx: TenantTransaction) => Promise<T>): Promise<T> {
    return this.db.inTenant(tenant.tenantId, work);
  }
}
