import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ManagedObjectStore } from '../../../adapters/minio/minio-object-store.js';
import { openObjectStore } from '../../../adapters/minio/open-object-store.js';
import { parseSettings } from '../../../core/config/settings.js';
import { testEnvironment } from '../../setup/engines.js';

/** A security token service that gives out the keys of the tests' store. */
class TokenService {
  asked: URLSearchParams[] = [];
  lifeS = 3600;
  isRefusing = false;
  keys = { accessKey: '', secretKey: '' };
  readonly server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      this.asked.push(new URLSearchParams(Buffer.concat(chunks).toString()));
      if (this.isRefusing) {
        response
          .writeHead(403)
          .end('<ErrorResponse><Error><Code>AccessDenied</Code></Error></ErrorResponse>');
        return;
      }
      const expiration = new Date(Date.now() + this.lifeS * 1000).toISOString();
      response.end(`<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult><Credentials>
        <AccessKeyId>${this.keys.accessKey}</AccessKeyId><SecretAccessKey>${this.keys.secretKey}</SecretAccessKey>
        <SessionToken>session-${this.asked.length}</SessionToken><Expiration>${expiration}</Expiration>
        </Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`);
    });
  });
}

describe('signing in to the object store', () => {
  const sts = new TokenService();
  let folder: string;
  let env: Record<string, string>;
  let remove: () => Promise<void>;
  let keys: { accessKey: string; secretKey: string };
  const opened: ManagedObjectStore[] = [];

  beforeAll(async () => {
    const made = await testEnvironment();
    remove = made.remove;
    const { S3_ACCESS_KEY = '', S3_SECRET_KEY = '', ...rest } = made.env;
    env = rest as Record<string, string>;
    keys = { accessKey: S3_ACCESS_KEY, secretKey: S3_SECRET_KEY };
    sts.keys = keys;
    folder = mkdtempSync(join(tmpdir(), 'visionops-keys-'));
    writeFileSync(join(folder, 'token'), 'the-identity\n');
    await new Promise<void>((done) => sts.server.listen(0, '127.0.0.1', done));
  });
  beforeEach(() => {
    Object.assign(sts, { asked: [], lifeS: 3600, isRefusing: false });
  });
  afterAll(async () => {
    for (const store of opened) await store.close();
    sts.server.close();
    rmSync(folder, { recursive: true });
    await remove();
  });

  const open = (way: Record<string, string>): ManagedObjectStore => {
    const store = openObjectStore(parseSettings({ ...env, ...way }));
    opened.push(store);
    return store;
  };
  const roundTrip = async (store: ManagedObjectStore) => {
    const body = Buffer.from('bytes');
    await store.put('a/b', body, body.length);
    return (await store.head('a/b'))?.sizeBytes;
  };
  const lifeOf = async (store: ManagedObjectStore, askedS: number) => {
    const { searchParams } = new URL(await store.presign('GET', 'a/b', askedS));
    return {
      lifeS: Number(searchParams.get('X-Amz-Expires')),
      token: searchParams.get('X-Amz-Security-Token'),
    };
  };
  const role = () => ({
    ...{ AWS_ROLE_ARN: 'arn:aws:iam::1:role/visionops', AWS_WEB_IDENTITY_TOKEN_FILE: join(folder, 'token') },
    AWS_ENDPOINT_URL_STS: `http://127.0.0.1:${(sts.server.address() as AddressInfo).port}/`,
  });

  it('takes keys of the environment and those of a profile in a file', async () => {
    const way = { AWS_ACCESS_KEY_ID: keys.accessKey, AWS_SECRET_ACCESS_KEY: keys.secretKey };
    expect(await roundTrip(open(way))).toBe(5);
    expect(await lifeOf(open(way), 604_800)).toEqual({ lifeS: 604_800, token: null });
    const file = join(folder, 'credentials');
    writeFileSync(
      file,
      `[default]\naws_access_key_id = no\naws_secret_access_key = no\n\n[ours]\n# a comment\naws_access_key_id=${keys.accessKey}\naws_secret_access_key = ${keys.secretKey}\n`,
    );
    expect(await roundTrip(open({ AWS_SHARED_CREDENTIALS_FILE: file, AWS_PROFILE: 'ours' }))).toBe(5);
    await expect(
      open({ AWS_SHARED_CREDENTIALS_FILE: file, AWS_PROFILE: 'none' }).ping(),
    ).rejects.toMatchObject({
      code: 'service_unavailable',
      message: expect.stringContaining('of profile none'),
    });
    await expect(open({ AWS_SHARED_CREDENTIALS_FILE: `${file}.not` }).ping()).rejects.toThrow(/ENOENT/);
  });

  it('takes a role for a web identity token once, and makes no address that outlives its keys', async () => {
    const store = open(role());
    const lives = await Promise.all([lifeOf(store, 604_800), lifeOf(store, 60), lifeOf(store, 604_800)]);
    expect(lives.map(({ token }) => token)).toEqual(['session-1', 'session-1', 'session-1']);
    expect(lives[1]?.lifeS).toBe(60);
    expect(lives[0]?.lifeS).toBeGreaterThan(3500);
    expect(lives[0]?.lifeS).toBeLessThanOrEqual(3600);
    expect(sts.asked).toHaveLength(1);
    expect(Object.fromEntries(sts.asked[0] ?? [])).toMatchObject({
      ...{ Action: 'AssumeRoleWithWebIdentity', WebIdentityToken: 'the-identity' },
      RoleArn: 'arn:aws:iam::1:role/visionops',
    });
  });

  it('renews keys before they end, and goes on with those it has while that fails', async () => {
    sts.lifeS = 300;
    const store = open(role());
    expect((await lifeOf(store, 900)).token).toBe('session-1');
    // Asked again at once would be a flood: the keys last for five minutes.
    expect((await lifeOf(store, 900)).token).toBe('session-1');
    sts.isRefusing = true;
    sts.lifeS = 1;
    const ending = open(role());
    await expect(ending.ping()).rejects.toMatchObject({
      code: 'service_unavailable',
      message: expect.stringContaining('it answered 403 AccessDenied'),
    });
    sts.isRefusing = false;
    expect((await lifeOf(ending, 900)).lifeS).toBeLessThanOrEqual(1);
    const before = sts.asked.length;
    await new Promise((resolve) => setTimeout(resolve, 1100));
    sts.lifeS = 3600;
    expect((await lifeOf(ending, 900)).lifeS).toBe(900);
    expect(sts.asked.length).toBe(before + 1);
  });

  it('puts the bucket into the path or the host name', async () => {
    const own = {
      S3_ACCESS_KEY: 'a',
      S3_SECRET_KEY: 's',
      S3_ENDPOINT: 'https://s3.example.org',
      S3_BUCKET: 'ours',
    };
    const address = async (over: Record<string, string>) => {
      const { host, pathname } = new URL(await open({ ...own, ...over }).presign('GET', 'a/b', 60));
      return `${host}${pathname}`;
    };
    expect(await address({})).toBe('s3.example.org/ours/a/b');
    expect(await address({ S3_ADDRESSING: 'path' })).toBe('s3.example.org/ours/a/b');
    expect(await address({ S3_ADDRESSING: 'virtual' })).toBe('ours.s3.example.org/a/b');
    expect(await address({ S3_ENDPOINT: 'https://s3.amazonaws.com' })).toMatch(/^ours\.s3[.-]/);
  });
});
