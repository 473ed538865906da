import { type KeyRing, parseKeyRing } from '../../core/security/key-ring.js';
import { countTokensOfOlderKeys } from '../../models/edge/fleet.platform.js';
import { resealAll } from '../../models/system/reseal.platform.js';
import type { Arguments } from '../arguments.js';
import { EngineError } from '../engines/engine.js';
import { ensureSecrets } from '../supervisor/secrets.js';
import { withPlatformDatabase } from './platform-database.js';

/** Seals stored secrets anew with the newest entry of SERVICE_SECRET_KEYS, so that older entries can be given up. Exit code 1 when some cannot be opened. */
export async function resealSecrets(args: Arguments): Promise<number> {
  const keys = ringOf(args.dataDir);
  const newest = keys.keys[0]?.id;
  return withPlatformDatabase(args.dataDir, async (db) => {
    const { resealed, unreadable } = await resealAll(db, keys);
    for (const row of unreadable) console.log(`  cannot be opened: ${row}`);
    console.log(
      `${resealed} sealed anew with ${newest}; ${unreadable.length === 0 ? `nothing is sealed with another key` : `${unreadable.length} stay as they are`}.`,
    );
    const devices = await countTokensOfOlderKeys(db, newest ?? '', new Date());
    console.log(
      devices === 0
        ? `No token of a device depends on another key.`
        : `${devices} tokens of devices depend on other keys until these devices call.`,
    );
    return unreadable.length === 0 ? 0 : 1;
  });
}

function ringOf(dataDir: string): KeyRing {
  const given = process.env.SERVICE_SECRET_KEYS;
  // A production makes no keys of its own: nothing is sealed with new ones.
  if (!given && process.env.NODE_ENV === 'production')
    throw new EngineError('SERVICE_SECRET_KEYS is missing: give the keys that the platform has.');
  try {
    return parseKeyRing(given || ensureSecrets(dataDir).secretKeys);
  } catch (error) {
    throw new EngineError(`SERVICE_SECRET_KEYS cannot be used: ${(error as Error).message}.`);
  }
}
