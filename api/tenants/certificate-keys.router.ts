import type { KeyRing } from '../../core/security/key-ring.js';
import { publicKeys } from '../../core/security/signed-document.js';
import type { RouteTable } from '../http/routing/route-table.js';

/** Publishes what certificates of erasure are verified with, as a JSON Web Key Set (RFC 7517). */
export function registerCertificateKeys(routes: RouteTable, ring: KeyRing): void {
  const body = Buffer.from(JSON.stringify({ keys: publicKeys(ring) }));
  routes.add({
    method: 'GET',
    pattern: '/.well-known/visionops-certificate-keys',
    access: { kind: 'public' },
    operationId: null,
    handlers: [(_req, res) => void res.type('json').send(body)],
  });
}
