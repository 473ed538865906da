import type { RemoteEndpoint } from '../../../core/ports/remote-source.js';
import { open, seal } from '../../../core/security/envelope.js';
import type { KeyRing } from '../../../core/security/key-ring.js';
import type { SourceRow } from './external-source.queries.js';

/** Under which name the token of a source is sealed. @param sourceId row id */
export const sourceTokenPlace = (tenantId: string, sourceId: string): string =>
  `external_source|sealed_token|${tenantId}|${sourceId}`;

/** The token as it is stored: opens in this row alone. @param sourceId row id */
export const sealSourceToken = (keys: KeyRing, tenantId: string, sourceId: string, token: string): string =>
  seal(keys, sourceTokenPlace(tenantId, sourceId), token);

/** Where a source is read, with its token in the clear: for memory alone. */
export const remoteEndpointOf = (
  keys: KeyRing,
  tenantId: string,
  source: Pick<SourceRow, 'id' | 'baseUrl' | 'sealedToken'>,
): RemoteEndpoint => ({
  tenantId,
  baseUrl: source.baseUrl,
  token:
    source.sealedToken === null
      ? null
      : open(keys, sourceTokenPlace(tenantId, source.id), source.sealedToken),
});
