import type { RemoteEndpoint } from '../../core/ports/remote-source.js';
import { open, seal } from '../../core/security/envelope.js';
import type { KeyRing } from '../../core/security/key-ring.js';
import type { TenantTransaction } from '../orm/transaction.js';

const place = (tenantId: string, sourceId: string): string => `external_source|sealed_token|${tenantId}|${sourceId}`;

/** The token as it is stored: opens in this row alone. @param sourceId row id */
export const sealSourceToken = (keys: KeyRing, tenantId: string, sourceId: string, token: string): string => seal(keys, place(tenantId, sourceId), token);

export const openSourceToken = (keys: KeyRing, tenantId: string, source: { readonly id: string; readonly sealed_token: string | null }): string | null =>
  source.sealed_token === null ? null : open(keys, place(tenantId, source.id), source.sealed_token);

/** Where a source is read, with its token in the clear: for memory alone. Null when it is gone. @param sourceId row id */
export async function findRemoteEndpoint(tx: TenantTransaction, keys: KeyRing, sourceId: string): Promise<RemoteEndpoint | null> {
  const [row] = await tx.query<{ id: string; base_url: string; sealed_token: string | null }>(
    'select id, base_url, sealed_token from external_source where tenant_id = $1 and id = $2',
    [tx.tenantId, sourceId],
  );
  return row ? { baseUrl: row.base_url, token: openSourceToken(keys, tx.tenantId, row) } : null;
}
