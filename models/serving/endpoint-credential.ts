import { open, seal } from '../../core/security/envelope.js';
import type { KeyRing } from '../../core/security/key-ring.js';
import { newToken } from '../../core/security/tokens.js';

/** Under which name the credential of an endpoint is sealed. @param endpointId row id */
export const endpointCredentialPlace = (tenantId: string, endpointId: string): string =>
  `serving_endpoint|sealed_credential|${tenantId}|${endpointId}`;

/**
 * The secret that an endpoint's instances demand of whoever sends them images: only the platform's proxy has it, so that
 * neither another workload on the same machine nor a port that changed hands gets or gives an answer.
 */
export const newEndpointCredential = (keys: KeyRing, tenantId: string, endpointId: string): string =>
  seal(keys, endpointCredentialPlace(tenantId, endpointId), newToken());

export const openEndpointCredential = (
  keys: KeyRing,
  tenantId: string,
  endpoint: { readonly id: string; readonly sealedCredential: string },
): string => open(keys, endpointCredentialPlace(tenantId, endpoint.id), endpoint.sealedCredential);
