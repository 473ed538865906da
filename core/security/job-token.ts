import { createHmac, timingSafeEqual } from 'node:crypto';
import { isUuid } from './ids.js';
import { deriveKey, type KeyRing } from './key-ring.js';

/** What a job may write to: the run of its own attempt. */
export interface JobClaims {
  readonly tenantId: string;
  /** 32 hex digits. */
  readonly runId: string;
  readonly attempt: number;
}

/**
 * The token of one attempt: `vj1.<key id>.<tenant>.<run>.<attempt>.<hmac>`. The same for every call, so that a repeated
 * start hands out the same one. Whether the attempt still runs is looked up, not written in the token.
 */
export function issueJobToken(ring: KeyRing, claims: JobClaims): string {
  const { id, key } = deriveKey(ring, 'job-token');
  const body = `vj1.${id}.${claims.tenantId}.${claims.runId}.${claims.attempt}`;
  return `${body}.${sign(key, body)}`;
}

/** @returns null for anything that is not a token of ours */
export function readJobToken(ring: KeyRing, token: string): JobClaims | null {
  const [version, id, tenantId, runId, attempt, mac, ...rest] = token.split('.');
  if (version !== 'vj1' || !id || !tenantId || !runId || !attempt || !mac || rest.length > 0) return null;
  if (
    !ring.keys.some((entry) => entry.id === id) ||
    !isUuid(tenantId) ||
    !/^[0-9a-f]{32}$/.test(runId) ||
    !/^\d{1,9}$/.test(attempt)
  )
    return null;
  const { key } = deriveKey(ring, 'job-token', id);
  const [expected, given] = [
    Buffer.from(sign(key, token.slice(0, token.lastIndexOf('.')))),
    Buffer.from(mac),
  ];
  return expected.length === given.length && timingSafeEqual(expected, given)
    ? { tenantId, runId, attempt: Number(attempt) }
    : null;
}

const sign = (key: Buffer, body: string): string =>
  createHmac('sha256', key).update(body).digest('base64url');
