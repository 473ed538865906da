import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { outboundAccess } from '../../../adapters/http/outbound-access.js';
import { type Certificate, certificate } from '../../fakes/source-server/certificates.js';
import { SourceServer } from '../../fakes/source-server/source-server.js';
import { startTestApi, type TestApi } from '../support/test-api.js';
import { startTestWorker } from '../support/test-worker.js';
import { SyncKit } from './support/sync-kit.js';

const HERE = [127, 0, 0, 1];
const PAST = { from: new Date('2020-01-01'), until: new Date('2021-01-01') };
const LATER = { from: new Date(Date.now() + 86_400_000), until: new Date(Date.now() + 2 * 86_400_000) };

describe('sources behind TLS', () => {
  const own = certificate({ name: 'Our authority', isAuthority: true });
  const issuer = { name: 'Our authority', key: own.key };
  const stranger = certificate({ name: 'Another authority', isAuthority: true });
  let folder: string;
  let api: TestApi;
  let worker: Awaited<ReturnType<typeof startTestWorker>>;
  let kit: SyncKit;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'visionops-ca-'));
    writeFileSync(join(folder, 'ca.pem'), own.cert);
    api = await startTestApi({
      SERVICE_OUTBOUND_ALLOW: '127.0.0.0/8',
      SERVICE_OUTBOUND_CA: join(folder, 'ca.pem'),
    });
    worker = await startTestWorker(api.container.settings);
    kit = new SyncKit(api, await api.addTenant());
  });
  afterAll(async () => {
    await worker?.close();
    await api?.close();
    rmSync(folder, { recursive: true });
  });

  const test = async (server: SourceServer) => {
    const call = (path: string, json?: unknown) =>
      api.call('POST', `/api/v1/external-sources${path}`, {
        token: api.admin.token,
        tenant: kit.tenant.code,
        json,
      });
    const made = await call('', { name: 'Behind TLS', base_url: server.baseUrl });
    return (await call(`/${made.body.id}:test`)).body;
  };

  it.each<[string, Certificate, RegExp]>([
    [
      'signed by itself',
      certificate({ name: '127.0.0.1', address: HERE }),
      /its certificate is signed by itself/,
    ],
    [
      'of an unknown authority',
      certificate({ name: 'x', address: HERE, issuer: { name: 'Another authority', key: stranger.key } }),
      /from an authority that is not trusted/,
    ],
    [
      'for another name',
      certificate({ name: 'y', host: 'other.example.org', issuer }),
      /its certificate is for another name/,
    ],
    [
      'that has expired',
      certificate({ name: 'z', address: HERE, issuer, ...PAST }),
      /its certificate has expired/,
    ],
    [
      'that is not valid yet',
      certificate({ name: 'w', address: HERE, issuer, ...LATER }),
      /its certificate is not valid yet/,
    ],
  ])('with a certificate %s are refused in plain words', async (_name, bad, words) => {
    const server = await SourceServer.start({ certificate: bad });
    expect(await test(server)).toMatchObject({
      status: 'failed',
      reason: 'tls',
      message: expect.stringMatching(words),
      next_step: expect.stringMatching(/SERVICE_OUTBOUND_CA/),
    });
    expect(server.requests).toEqual([]);
    await server.close();
  });

  it('with a certificate of an authority that the administrator named are tested and synced', async () => {
    const server = await SourceServer.start({
      certificate: certificate({ name: '127.0.0.1', address: HERE, issuer }),
    });
    server.add({ id: 'safe', files: 5 });
    expect(await test(server)).toMatchObject({ status: 'ok', total: 1 });
    expect(await kit.sync(await kit.linked(server, 'safe'))).toMatchObject({
      status: 'done',
      progress: { files_done: 5 },
    });
    await server.close();
  });

  it('name a file of authorities that cannot be used before anything starts', () => {
    const of = (text: string | null) => {
      const file = join(folder, 'bad.pem');
      if (text !== null) writeFileSync(file, text);
      return () =>
        outboundAccess({
          SERVICE_OUTBOUND_ALLOW: '',
          SERVICE_OUTBOUND_CA: text === null ? join(folder, 'none.pem') : file,
        });
    };
    expect(of(null)).toThrow(/SERVICE_OUTBOUND_CA: the file cannot be read \(ENOENT\)/);
    expect(of('no certificate')).toThrow(/holds no certificate/);
    expect(of('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----')).toThrow(/cannot be read/);
    expect(
      outboundAccess({ SERVICE_OUTBOUND_ALLOW: 'a.example.org', SERVICE_OUTBOUND_CA: undefined }),
    ).toEqual({ allow: 'a.example.org', authorities: null });
  });
});
