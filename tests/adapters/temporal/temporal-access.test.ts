import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { temporalAccess } from '../../../adapters/temporal/temporal-access.js';
import { createWorkflowEngine } from '../../../adapters/temporal/temporal-workflow-engine.js';
import { testNamespace } from '../../setup/engines.js';

describe('the connection to Temporal', () => {
  let folder: string;
  const file = (name: string) => join(folder, name);
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'visionops-pem-'));
    for (const name of ['ca', 'cert', 'key']) writeFileSync(file(name), `the ${name}`);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const of = (given: Record<string, unknown>) =>
    temporalAccess({ TEMPORAL_ADDRESS: 'h:1', ...given } as Parameters<typeof temporalAccess>[0]);

  it('is plain as long as nothing else is named', () => {
    expect(of({})).toEqual({ address: 'h:1' });
    expect(of({ SERVICE_TEMPORAL_TLS: false })).toEqual({ address: 'h:1' });
  });

  it('speaks TLS when it is asked to, or when a file, a name or a key is given', () => {
    expect(of({ SERVICE_TEMPORAL_TLS: true })).toEqual({ address: 'h:1', tls: {} });
    expect(of({ SERVICE_TEMPORAL_API_KEY: 'secret' })).toEqual({ address: 'h:1', tls: {}, apiKey: 'secret' });
    expect(
      of({
        SERVICE_TEMPORAL_TLS_CA: file('ca'),
        SERVICE_TEMPORAL_TLS_CERT: file('cert'),
        SERVICE_TEMPORAL_TLS_KEY: file('key'),
        SERVICE_TEMPORAL_TLS_SERVER_NAME: 'temporal.internal',
      }),
    ).toEqual({
      address: 'h:1',
      tls: {
        serverRootCACertificate: Buffer.from('the ca'),
        serverNameOverride: 'temporal.internal',
        clientCertPair: { crt: Buffer.from('the cert'), key: Buffer.from('the key') },
      },
    });
  });

  it('names the setting whose file cannot be read', () => {
    expect(() => of({ SERVICE_TEMPORAL_TLS_CA: file('none') })).toThrow(
      /SERVICE_TEMPORAL_TLS_CA: the file cannot be read \(ENOENT\)/,
    );
  });

  it('sends no plain text once it speaks TLS: a frontend without it is not reached', async () => {
    const { address, namespace } = await testNamespace();
    const engine = createWorkflowEngine({ address, namespace, tls: {} });
    const asked = engine.isOpen('none').catch((error: { code: string }) => error.code);
    await new Promise((resolve) => setTimeout(resolve, 300));
    const closedAt = performance.now();
    await engine.close();
    // A call waits for its answer for 10 s.
    expect(performance.now() - closedAt).toBeLessThan(9000);
    // A try that begins on the closed channel would throw here, where nobody catches it.
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(await asked).toBe('service_unavailable');
  });
});
