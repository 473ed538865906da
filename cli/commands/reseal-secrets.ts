import { type KeyRing, parseKeyRing } from '../../core/security/key-ring.js';
import type { Database } from '../../models/orm/database.js';
import { auditReseal, resealSome, SEALED_COLUMNS } from '../../models/system/reseal.commands.js';
import type { Arguments } from '../arguments.js';
import { EngineError } from '../engines/engine.js';
import { ensureSecrets } from '../supervisor/secrets.js';
import { withPlatformDatabase } from './platform-database.js';

const FIRST = '00000000-0000-0000-0000-000000000000';

/** Seals stored secrets anew with the newest entry of SERVICE_SECRET_KEYS, so that older entries can be given up. Exit code 1 when some cannot be opened. */
export async function resealSecrets(args: Arguments): Promise<number> {
  const keys = ringOf(args.dataDir);
  const newest = keys.keys[0]?.id;
  return withPlatformDatabase(args.dataDir, async (db) => {
    const { resealed, unreadable } = await resealAll(db, keys);
    for (const row of unreadable) console.log(`  cannot be opened: ${row}`);
    console.log(`${resealed} sealed anew with ${newest}; ${unreadable.length === 0 ? `nothing is sealed with another key` : `${unreadable.length} stay as they are`}.`);
    return unreadable.length === 0 ? 0 : 1;
  });
}

/** @returns how many values were sealed anew, and where those stand that no secret opens */
export async function resealAll(db: Database, keys: KeyRing): Promise<{ resealed: number; unreadable: string[] }> {
  let resealed = 0;
  const unreadable: string[] = [];
  for (const place of SEALED_COLUMNS) {
    for (let after: string | null = FIRST; after !== null; ) {
      const from: string = after;
      const step = await db.inPlatform((tx) => resealSome(tx, keys, place, from));
      resealed += step.resealed;
      unreadable.push(...step.unreadable.map((id) => `${place.table}.${place.column} of ${id}`));
      after = step.last;
    }
  }
  await db.inPlatform((tx) => auditReseal(tx, keys, { resealed, unreadable: unreadable.length }));
  return { resealed, unreadable };
}

function ringOf(dataDir: string): KeyRing {
  try {
    return parseKeyRing(process.env.SERVICE_SECRET_KEYS || ensureSecrets(dataDir).secretKeys);
  } catch (error) {
    throw new EngineError(`SERVICE_SECRET_KEYS cannot be used: ${(error as Error).message}.`);
  }
}
