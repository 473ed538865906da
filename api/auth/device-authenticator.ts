import type { Request } from 'express';
import { AppError, forbidden, unauthorized } from '../../core/errors/app-error.js';
import type { Settings } from '../../core/config/settings.js';
import { BatchLoader } from '../../core/load/batch-loader.js';
import type { KeyRing } from '../../core/security/key-ring.js';
import { findDeviceCallers, type FoundDevice, renewTokenHash } from '../../models/edge/fleet.platform.js';
import type { DeviceCaller } from '../../models/edge/devices/device-caller.types.js';
import { scopesGrant } from '../../models/edge/devices/device-scopes.rules.js';
import type { Database } from '../../models/orm/in-tenant.js';
import { accessTokenHashes } from './access-token-text.js';
import type { SessionCache } from './session-cache.js';

/** A device that is blocked has no better time to come back than its next turn, which is its own. */
const BLOCKED = { headers: { 'Retry-After': '60' } };

/** Tokens of one statement. */
const MOST = 500;
/** Statements at the same time at most; people sign in by the other connections, of which there is at least one. */
const LANES = 2;

/**
 * Which device calls, by its token, in this order: 401 unknown, expired or revoked, 503 blocked, 403 scope. Warm, it runs no
 * SQL; cold ones of a whole fleet share few statements. A token that is stored by an older server key is stored by the newest
 * from then on.
 */
export class DeviceAuthenticator {
  /** By the hashes of a token. */
  private readonly loader: BatchLoader<readonly string[], FoundDevice | null>;

  private readonly keys: KeyRing;

  constructor(
    private readonly db: Database,
    private readonly cache: SessionCache,
    settings: Pick<Settings, 'SERVICE_SECRET_KEYS' | 'SERVICE_DB_AUTH_POOL'>,
  ) {
    this.keys = settings.SERVICE_SECRET_KEYS;
    const lanes = Math.min(LANES, settings.SERVICE_DB_AUTH_POOL - 1);
    this.loader = new BatchLoader({ load: (tokens) => this.findAll(tokens), most: MOST, lanes });
  }

  /** @throws AppError unauthorized, service_unavailable, forbidden */
  async authenticate(req: Request, scopes: readonly string[]): Promise<DeviceCaller> {
    const token = req.headers['x-edge-token'];
    const device = typeof token === 'string' ? await this.find(token) : null;
    // One that is kept may have ended since.
    if (!device || device.expiresAt <= new Date())
      throw unauthorized('Send the token of a device as X-Edge-Token; it may have expired or been revoked.');
    if (device.isBlocked)
      throw new AppError(
        'service_unavailable',
        'This device is blocked; an operator has to unblock it.',
        null,
        BLOCKED,
      );
    const lacking = scopes.find((scope) => !scopesGrant(device.scopes, scope));
    if (lacking !== undefined)
      throw forbidden(`The token of this device lacks the scope ${lacking}.`, { required: lacking });
    return device;
  }

  private find(token: string): Promise<DeviceCaller | null> {
    return this.cache.find(`device:${token}`, async () => {
      const hashes = accessTokenHashes(this.keys, 'device', token);
      if (hashes.length === 0) return null;
      const found = await this.loader.load(hashes);
      if (found) this.renew(found.tokenHash, hashes[0] as string);
      return found?.caller ?? null;
    });
  }

  private async findAll(tokens: ReadonlyArray<readonly string[]>): Promise<(FoundDevice | null)[]> {
    const found = await findDeviceCallers(this.db, tokens.flat(), new Date());
    const byHash = new Map(found.map((each) => [each.tokenHash, each]));
    return tokens.map((hashes) => byHash.get(hashes.find((hash) => byHash.has(hash)) ?? '') ?? null);
  }

  /** Once for each token after a change of the server key; the device does not wait for it. */
  private renew(stored: string, tokenHash: string): void {
    const keyId = this.keys.keys[0]?.id;
    if (stored === tokenHash || keyId === undefined) return;
    void renewTokenHash(this.db, stored, { tokenHash, keyId }).catch(() => undefined);
  }
}
