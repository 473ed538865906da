import { open, seal } from '../../core/security/envelope.js';
import type { KeyRing } from '../../core/security/key-ring.js';
import { audit } from '../audit/audit.commands.js';
import { SYSTEM_ACTOR } from '../audit/audit.types.js';
import type { PlatformTransaction } from '../orm/transaction.js';
import { endpointCredentialPlace } from '../serving/endpoint-credential.js';
import { sourceTokenPlace } from '../sources/source-token.js';

/** Every column that holds a sealed value for longer than a message lives, and the place that is sealed with it. */
export const SEALED_COLUMNS = [
  { table: 'external_source', column: 'sealed_token', placeOf: sourceTokenPlace },
  { table: 'serving_endpoint', column: 'sealed_credential', placeOf: endpointCredentialPlace },
] as const;

export type SealedColumn = (typeof SEALED_COLUMNS)[number];

export interface ResealStep {
  readonly resealed: number;
  /** Row ids whose value none of the secrets opens; they stay as they are. */
  readonly unreadable: readonly string[];
  /** The last row that was looked at; null at the end. */
  readonly last: string | null;
}

const BATCH = 100;

/**
 * Seals the next values of a column anew, those that an older secret than the newest sealed. Rows are locked, so a change at the same time
 * is neither lost nor undone. Safe to repeat.
 * @param after row id; the zero id at first
 */
export async function resealSome(tx: PlatformTransaction, keys: KeyRing, { table, column, placeOf }: SealedColumn, after: string): Promise<ResealStep> {
  const rows = await tx.query<{ id: string; tenant_id: string; sealed: string }>(
    `select id, tenant_id, ${column} as sealed from ${table} where ${column} is not null and split_part(${column}, '.', 2) <> $1 and id > $2 order by id limit $3 for no key update`,
    [keys.keys[0]?.id, after, BATCH],
  );
  const unreadable: string[] = [];
  const [ids, values]: [string[], string[]] = [[], []];
  for (const { id, tenant_id, sealed } of rows) {
    const plain = openOrNull(keys, placeOf(tenant_id, id), sealed);
    if (plain === null) unreadable.push(id);
    else {
      ids.push(id);
      values.push(seal(keys, placeOf(tenant_id, id), plain));
    }
  }
  await tx.execute(`update ${table} set ${column} = v.sealed from unnest($1::uuid[], $2::text[]) as v (id, sealed) where ${table}.id = v.id`, [ids, values]);
  return { resealed: ids.length, unreadable, last: rows.length < BATCH ? null : (rows.at(-1)?.id ?? null) };
}

function openOrNull(keys: KeyRing, place: string, sealed: string): string | null {
  try {
    return open(keys, place, sealed);
  } catch {
    return null;
  }
}

/** Tells the audit trail of the platform what a run came to. */
export async function auditReseal(tx: PlatformTransaction, keys: KeyRing, detail: { readonly resealed: number; readonly unreadable: number }): Promise<void> {
  await audit(tx, null, SYSTEM_ACTOR, {
    action: 'secrets.reseal',
    target: { kind: 'secret_key', id: keys.keys[0]?.id ?? '' },
    outcome: detail.unreadable > 0 ? 'failed' : 'success',
    detail,
  });
}
