import { MAX_PLAIN_LIST } from '../../core/paging/page.js';
import type { TenantTransaction } from '../orm/transaction.js';

export interface SourceRow {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly base_url: string;
  readonly sealed_token: string | null;
  readonly description: string;
  readonly enabled: boolean;
  readonly dataset_count: number;
  readonly created_by: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

const SELECT = `select s.id, s.key, s.name, s.base_url, s.sealed_token, s.description, s.enabled, s.created_by, s.created_at, s.updated_at,
  (select count(*) from dataset_source l where l.tenant_id = s.tenant_id and l.source_id = s.id) as dataset_count
  from external_source s where s.tenant_id = $1`;

/** By name, at most 1,000, with the true total. */
export async function listSources(tx: TenantTransaction): Promise<{ items: SourceRow[]; total: number }> {
  const items = await tx.query<SourceRow>(`${SELECT} order by s.name, s.key limit $2`, [tx.tenantId, MAX_PLAIN_LIST]);
  const [counted] = await tx.query<{ n: number }>('select count(*) as n from external_source where tenant_id = $1', [tx.tenantId]);
  return { items, total: counted?.n ?? 0 };
}

/** @param key the id people use */
export async function findSource(tx: TenantTransaction, key: string): Promise<SourceRow | null> {
  return (await tx.query<SourceRow>(`${SELECT} and s.key = $2`, [tx.tenantId, key]))[0] ?? null;
}

/** Null when it is gone. @param id row id */
export async function findSourceById(tx: TenantTransaction, id: string): Promise<SourceRow | null> {
  return (await tx.query<SourceRow>(`${SELECT} and s.id = $2`, [tx.tenantId, id]))[0] ?? null;
}

/**
 * Locks a source until the transaction ends: `change` against every other lock, `use` only against its change. Whoever
 * locks datasets too locks the source first.
 */
export async function lockSource(tx: TenantTransaction, key: string, purpose: 'change' | 'use'): Promise<SourceRow | null> {
  const mode = purpose === 'change' ? 'update' : 'key share';
  await tx.execute(`select 1 from external_source where tenant_id = $1 and key = $2 for ${mode}`, [tx.tenantId, key]);
  return findSource(tx, key);
}
