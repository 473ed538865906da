import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, jest } from '@jest/globals';
import { parseArguments } from '../../cli/arguments.js';
import { verifyErasure } from '../../cli/commands/verify-erasure.js';
import { parseKeyRing } from '../../core/security/key-ring.js';
import { publicKeys, signDocument } from '../../core/security/signed-document.js';

const folder = mkdtempSync(join(tmpdir(), 'visionops-certificate-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ring = parseKeyRing(`k1:${Buffer.from(Array.from({ length: 32 }, (_, at) => at)).toString('base64')}`);
const certificate = signDocument(ring, {
  deletion_id: 'd1',
  tenant: { id: 't1', code: 'acme' },
  completed_at: '2026-01-01T00:00:00.000Z',
  removed: { files: 2 },
});
const answer = { id: 'd1', tenant_id: 't1', tenant_code: 'acme', status: 'done', certificate };

function verify(document: unknown): { code: number; said: string } {
  const [file, keys] = [join(folder, 'deletion.json'), join(folder, 'keys.json')];
  writeFileSync(file, JSON.stringify(document));
  writeFileSync(keys, JSON.stringify({ keys: publicKeys(ring) }));
  const log = jest.spyOn(console, 'log').mockImplementation(() => undefined);
  const code = verifyErasure(parseArguments(['verify-erasure', file, keys], folder));
  const said = log.mock.calls.flat().join('\n');
  log.mockRestore();
  return { code, said };
}

describe('a certificate of erasure', () => {
  it('is verified alone and in the answer around it, and it is said what the signature covers', () => {
    for (const document of [certificate, answer]) {
      const { code, said } = verify(document);
      expect(code).toBe(0);
      expect(said).toMatch(/^valid +tenant acme \(t1\)/);
      expect(said).toContain('covers the certificate alone');
    }
  });

  it.each(['id', 'tenant_id', 'tenant_code'])(
    'is not taken for another deletion when %s around it was changed',
    (field) => {
      const { code, said } = verify({ ...answer, [field]: 'globex' });
      expect(code).toBe(1);
      expect(said).toMatch(new RegExp(`NOT VALID.*${field} of the answer`));
    },
  );

  it('that was changed is not valid', () => {
    expect(
      verify({
        ...answer,
        tenant_code: 'globex',
        certificate: { ...certificate, tenant: { id: 't1', code: 'globex' } },
      }).code,
    ).toBe(1);
  });
});
