import { open, seal } from '../../core/security/envelope.js';
import type { KeyRing } from '../../core/security/key-ring.js';
import { audit } from '../audit/audit.commands.js';
import { SYSTEM_ACTOR } from '../audit/audit.types.js';
import type { Database } from '../orm/in-tenant.js';
import { endpointCredentialPlace } from '../serving/endpoint-credential.js';
import { sourceTokenPlace } from '../sources/catalog/source-token.js';
import { workloadEnvPlace } from '../workloads/workload-env.js';
import { lockSealedValues, setSealedValues } from './reseal.sql.js';

/**
 * Every column that holds a sealed value for longer than a message lives, and the place that is sealed with
 * it, made of the tenant and what `key` holds.
 */
export const SEALED_COLUMNS = [
  { table: 'external_source', column: 'sealed_token', key: 'id', placeOf: sourceTokenPlace },
  { table: 'serving_endpoint', column: 'sealed_credential', key: 'id', placeOf: endpointCredentialPlace },
  { table: 'workload', column: 'sealed_env', key: 'name', placeOf: workloadEnvPlace },
] as const;

type SealedColumn = (typeof SEALED_COLUMNS)[number];

interface ResealStep {
  readonly resealed: number;
  /** Row ids whose value none of the secrets opens; they stay as they are. */
  readonly unreadable: readonly string[];
  /** The last row that was looked at; null at the end. */
  readonly last: string | null;
}

const BATCH = 100;
const FIRST = '00000000-0000-0000-0000-000000000000';

/**
 * Seals every value anew that an older secret than the newest sealed, and writes into the audit trail of the
 * platform what that came to. Safe to repeat.
 * @returns how many values were sealed anew, and where those stand that no secret opens
 */
export async function resealAll(
  db: Database,
  keys: KeyRing,
): Promise<{ resealed: number; unreadable: string[] }> {
  let resealed = 0;
  const unreadable: string[] = [];
  for (const place of SEALED_COLUMNS) {
    for (let after: string | null = FIRST; after !== null; ) {
      const step: ResealStep = await resealSome(db, keys, place, after);
      resealed += step.resealed;
      unreadable.push(...step.unreadable.map((id) => `${place.table}.${place.column} of ${id}`));
      after = step.last;
    }
  }
  await db.inPlatform((tx) =>
    audit(tx, null, SYSTEM_ACTOR, {
      action: 'secrets.reseal',
      target: { kind: 'secret_key', id: keys.keys[0]?.id ?? '' },
      outcome: unreadable.length > 0 ? 'failed' : 'success',
      detail: { resealed, unreadable: unreadable.length },
    }),
  );
  return { resealed, unreadable };
}

/** One batch of a column. Rows are locked, so a change at the same time is neither lost nor undone. */
const resealSome = (db: Database, keys: KeyRing, place: SealedColumn, after: string): Promise<ResealStep> =>
  db.inPlatform(async (tx) => {
    const rows = await lockSealedValues(tx, place, keys.keys[0]?.id, after, BATCH);
    const unreadable: string[] = [];
    const [ids, values]: [string[], string[]] = [[], []];
    for (const { id, tenantId, key, sealed } of rows) {
      const sealedPlace = place.placeOf(tenantId, key);
      const plain = openOrNull(keys, sealedPlace, sealed);
      if (plain === null) unreadable.push(id);
      else {
        ids.push(id);
        values.push(seal(keys, sealedPlace, plain));
      }
    }
    await setSealedValues(tx, place, ids, values);
    return { resealed: ids.length, unreadable, last: rows.length < BATCH ? null : (rows.at(-1)?.id ?? null) };
  });

/** Where those of the sealed values stand that none of the keys opens. */
export async function findUnreadable(db: Database, keys: KeyRing): Promise<string[]> {
  const unreadable: string[] = [];
  for (const place of SEALED_COLUMNS) {
    for (let after: string | null = FIRST; after !== null; ) {
      const from: string = after;
      // No key has the empty name, so that all are looked at.
      const rows = await db.inPlatform((tx) => lockSealedValues(tx, place, '', from, BATCH));
      for (const { id, tenantId, key, sealed } of rows)
        if (openOrNull(keys, place.placeOf(tenantId, key), sealed) === null)
          unreadable.push(`${place.table}.${place.column} of ${id}`);
      after = rows.length < BATCH ? null : (rows.at(-1)?.id ?? null);
    }
  }
  return unreadable;
}

function openOrNull(keys: KeyRing, place: string, sealed: string): string | null {
  try {
    return open(keys, place, sealed);
  } catch {
    return null;
  }
}
