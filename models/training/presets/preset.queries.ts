import { isUuid } from '../../../core/security/ids.js';
import { MAX_PLAIN_LIST } from '../../../core/paging/page.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import type { Preset } from './built-in-presets.js';

const presets = (tx: TenantTransaction) =>
  tx.kysely
    .selectFrom('training_preset')
    .where('tenantId', '=', tx.tenantId)
    .select(['id', 'name', 'description', 'config', 'createdBy', 'createdAt']);

type Row = Awaited<ReturnType<ReturnType<typeof presets>['executeTakeFirstOrThrow']>>;
const toPreset = (row: Row): Preset => ({ ...row, isBuiltIn: false });

/** The tenant's own by name, at most MAX_PLAIN_LIST, with the true total. */
export async function listPresets(tx: TenantTransaction): Promise<{ items: Preset[]; total: number }> {
  const rows = await presets(tx)
    .select(({ fn }) => fn.countAll<number>().over().as('total'))
    .orderBy('name')
    .limit(MAX_PLAIN_LIST)
    .execute();
  return { items: rows.map(({ total, ...row }) => toPreset(row)), total: rows[0]?.total ?? 0 };
}

/** Null for unknown and foreign ids, and for texts that are no id. */
export async function findPreset(tx: TenantTransaction, id: string): Promise<Preset | null> {
  if (!isUuid(id)) return null;
  const row = await presets(tx).where('id', '=', id.toLowerCase()).executeTakeFirst();
  return row ? toPreset(row) : null;
}
