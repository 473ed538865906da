import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { Client as S3Client } from 'minio';
import pg from 'pg';
import { ensureTestServer } from '../../cli/engines/test-server.js';
import { testDatabase, testNamespace, testStore } from '../setup/engines.js';
import { readFacts } from '../setup/facts.js';

const databases: Array<{ drop: () => Promise<void> }> = [];
afterAll(async () => {
  for (const database of databases) await database.drop();
});

describe('the engines of the tests', () => {
  it('gives each file a migrated database that the application logs in to', async () => {
    const [one, other] = await Promise.all([testDatabase(), testDatabase()]);
    databases.push(one, other);
    expect(one.name).not.toBe(other.name);
    const client = new pg.Client({ connectionString: one.appUrl });
    await client.connect();
    const role = await client.query('select current_user as name, current_database() as database');
    await client.end();
    expect(role.rows[0]).toEqual({ name: 'visionops_app', database: one.name });
  });

  it('gives each file a bucket that takes and returns an object', async () => {
    const store = await testStore();
    const { hostname, port } = new URL(store.endpoint);
    const client = new S3Client({
      endPoint: hostname,
      port: Number(port),
      useSSL: false,
      accessKey: store.accessKey,
      secretKey: store.secretKey,
      region: store.region,
    });
    await client.putObject(store.bucket, 'a/b', 'bytes');
    const chunks: Buffer[] = [];
    for await (const chunk of await client.getObject(store.bucket, 'a/b')) chunks.push(chunk as Buffer);
    expect(Buffer.concat(chunks).toString()).toBe('bytes');
    await store.remove();
    expect(await client.bucketExists(store.bucket)).toBe(false);
  });

  it('bounds the memory of the object store, which would grow with every upload', () => {
    const environments = readFacts().engines.map(({ pid }) =>
      readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0'),
    );
    const store = environments.find((variables) =>
      variables.some((variable) => variable.startsWith('AWS_SECRET_ACCESS_KEY=')),
    );
    expect(store?.filter((variable) => variable.startsWith('GOMEMLIMIT='))).toEqual(['GOMEMLIMIT=300MiB']);
  });

  it('gives each file a namespace where workflows can be started with a tenant at once', async () => {
    const { address, namespace } = await testNamespace();
    const connection = await Connection.connect({ address });
    const client = new Client({ connection, namespace });
    const handle = await client.workflow.start('anything', {
      taskQueue: 'none',
      workflowId: 'w',
      searchAttributes: { TenantId: ['t1'] },
    });
    const description = await handle.describe();
    await handle.terminate();
    await connection.close();
    expect(description.searchAttributes.TenantId).toEqual(['t1']);
  });

  it('says why when there is no time-skipping server', async () => {
    const empty = mkdtempSync(join(tmpdir(), 'visionops-path-'));
    expect(await ensureTestServer({ PATH: empty })).toEqual({
      path: null,
      reason: 'time-skipping tests need a Java runtime 17 or newer',
    });
    writeFileSync(join(empty, 'java'), '#!/bin/sh\necho \'openjdk version "11.0.2" 2019-01-15\' >&2\n', {
      mode: 0o755,
    });
    expect(await ensureTestServer({ PATH: empty })).toMatchObject({
      path: null,
      reason: 'time-skipping tests need a Java runtime 17 or newer',
    });
    rmSync(empty, { recursive: true });
  });
});
