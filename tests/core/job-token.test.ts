import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { issueJobToken, readJobToken } from '../../core/security/job-token.js';
import { parseKeyRing } from '../../core/security/key-ring.js';

const entry = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;
const claims = { tenantId: '0f0e0d0c-0b0a-4908-8706-050403020100', runId: 'ab'.repeat(16), attempt: 2 };

describe('job token', () => {
  it('carries run and attempt and is the same for every call', () => {
    const ring = parseKeyRing(entry('k1'));
    expect(issueJobToken(ring, claims)).toBe(issueJobToken(ring, claims));
    expect(readJobToken(ring, issueJobToken(ring, claims))).toEqual(claims);
  });

  it('is still read after a new key came first', () => {
    const old = entry('k1');
    const token = issueJobToken(parseKeyRing(old), claims);
    expect(readJobToken(parseKeyRing(`${entry('k2')},${old}`), token)).toEqual(claims);
    expect(readJobToken(parseKeyRing(entry('k2')), token)).toBeNull();
  });

  it('is refused when anything in it was changed', () => {
    const ring = parseKeyRing(entry('k1'));
    const token = issueJobToken(ring, claims);
    const forged = [
      token.replace('.2.', '.3.'),
      token.replace('abab', 'cdcd'),
      `${token}x`,
      token.slice(0, -1),
      token.replace('vj1', 'vj2'),
      `${token}.x`,
      '',
      'a.b.c.d.e.f',
    ];
    for (const other of forged) expect(readJobToken(ring, other)).toBeNull();
  });
});
