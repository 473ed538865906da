import { createHash, randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type DatasetKit, png, zip } from './support/dataset-kit.js';
import { openWorkingKit, type WorkingKit } from './support/open-dataset-kit.js';
import { slowChunk } from './support/slow-chunk.js';

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const KIB_64 = 65_536;
const MIB_5 = 5 * 2 ** 20;

describe('dataset upload sessions', () => {
  let lab: WorkingKit;
  let api: WorkingKit['api'];
  let kit: DatasetKit;
  let dataset: string;
  beforeAll(async () => {
    lab = await openWorkingKit();
    ({ api, kit } = lab);
    dataset = await kit.draft('Uploads');
  });
  afterAll(() => lab?.close());

  const chunksOf = (bytes: Buffer, size: number) =>
    Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
      bytes.subarray(i * size, (i + 1) * size),
    );
  const download = async (fileId: string) => {
    const answer = await fetch(`${api.base}/api/v1/datasets/${dataset}/files/${fileId}/content`, {
      headers: { authorization: `Bearer ${kit.token}`, 'x-tenant': kit.tenant.code },
    });
    return Buffer.from(await answer.arrayBuffer());
  };
  const open = async (json: Record<string, unknown>) => {
    const answer = await kit.open(dataset, json);
    expect(answer.status).toBe(201);
    return answer.body as {
      upload_id: string;
      chunk_size: number;
      state: string;
      received: number[];
      chunk_count: number;
    };
  };

  it.each([
    [
      'small chunks, in any order',
      KIB_64,
      5 * KIB_64 + 17,
      (n: number) => Array.from({ length: n }, (_, i) => n - 1 - i),
    ],
    ['large chunks, in order', MIB_5, 2 * MIB_5 + 99, (n: number) => Array.from({ length: n }, (_, i) => i)],
    [
      'large chunks, in any order',
      MIB_5,
      2 * MIB_5 + 99,
      (n: number) => Array.from({ length: n }, (_, i) => (i + 1) % n),
    ],
    ['one chunk', 2 ** 25, 1000, () => [0]],
  ])('joins %s into the same bytes', async (name, size, length, order) => {
    const bytes = randomBytes(length);
    const session = await open({
      filename: `joined/${name}.bin`,
      size: length,
      chunk_size: size,
      sha256: sha256(bytes).toUpperCase(),
    });
    expect(session).toMatchObject({ chunk_size: size, state: 'open', received: [] });
    const pieces = chunksOf(bytes, size);
    for (const index of order(pieces.length))
      expect((await kit.chunk(dataset, session.upload_id, index, pieces[index] as Buffer)).status).toBe(200);
    expect((await kit.complete(dataset, session.upload_id)).status).toBe(202);
    const ended = await kit.ended(dataset, session.upload_id);
    expect(ended).toMatchObject({
      state: 'done',
      error: null,
      result: { created: 1, skipped: 0, errors: [] },
    });
    expect(sha256(await download(ended.result.file_ids[0]))).toBe(sha256(bytes));
  });

  it('counts the last bytes sent for an index, and says what is missing', async () => {
    const bytes = randomBytes(3 * KIB_64);
    const [one, two, three] = chunksOf(bytes, KIB_64) as [Buffer, Buffer, Buffer];
    const { upload_id } = await open({ filename: 'again.bin', size: bytes.length, chunk_size: KIB_64 });
    await kit.chunk(dataset, upload_id, 2, randomBytes(KIB_64));
    await kit.chunk(dataset, upload_id, 0, one);
    await kit.chunk(dataset, upload_id, 2, three);
    const early = await kit.complete(dataset, upload_id);
    expect(early).toMatchObject({ status: 409, body: { code: 'conflict', detail: { missing: [1] } } });
    expect((await kit.call('GET', `/${dataset}/uploads/${upload_id}`)).body).toMatchObject({
      received: [0, 2],
      state: 'open',
    });
    await kit.chunk(dataset, upload_id, 1, two);
    await kit.complete(dataset, upload_id);
    const { result } = await kit.ended(dataset, upload_id);
    expect(sha256(await download(result.file_ids[0]))).toBe(sha256(bytes));
  });

  it('bounds what chunks sent again may take in the store', async () => {
    const { upload_id } = await open({ filename: 'replaced.bin', size: 2 * MIB_5, chunk_size: MIB_5 });
    for (let times = 3; times > 0; times -= 1)
      expect((await kit.chunk(dataset, upload_id, 0, Buffer.alloc(MIB_5, times))).status).toBe(200);
    const replaced = () =>
      kit.query<{ n: number }>('select replaced_bytes as n from dataset_upload where id = $1', [upload_id]);
    expect(await replaced()).toEqual([{ n: 2 * MIB_5 }]);
    await kit.query('update dataset_upload set replaced_bytes = $2 where id = $1', [upload_id, 64 * 2 ** 20]);
    expect(await kit.chunk(dataset, upload_id, 0, Buffer.alloc(MIB_5))).toMatchObject({
      status: 409,
      body: { code: 'conflict' },
    });
    // What is still missing is taken all the same.
    expect((await kit.chunk(dataset, upload_id, 1, Buffer.alloc(MIB_5))).status).toBe(200);
    await kit.complete(dataset, upload_id);
    expect(await kit.ended(dataset, upload_id)).toMatchObject({ state: 'done', result: { created: 1 } });
  });

  it('asks again for an acknowledged chunk that a repeat without an answer replaced in the store', async () => {
    const pieces = [randomBytes(MIB_5), randomBytes(MIB_5), randomBytes(99)];
    const bytes = Buffer.concat(pieces);
    const { upload_id } = await open({
      filename: 'replaced-unseen.bin',
      size: bytes.length,
      chunk_size: MIB_5,
      sha256: sha256(bytes),
    });
    for (const [index, piece] of pieces.entries()) await kit.chunk(dataset, upload_id, index, piece);
    const [session] = await kit.query<{ key: string; id: string }>(
      'select object_key as key, multipart_id as id from dataset_upload where id = $1',
      [upload_id],
    );
    // The store of the tests keeps what was replaced, so the acknowledged bytes of the first chunk are still there; for the
    // second one the row says what it would elsewhere: bytes that are there no longer.
    await api.container.objects.putPart(
      session?.key as string,
      session?.id as string,
      1,
      randomBytes(MIB_5),
      MIB_5,
    );
    await kit.query(
      "update dataset_upload_chunk set etag = repeat('f', 32) where upload_id = $1 and index = 1",
      [upload_id],
    );
    expect(await kit.complete(dataset, upload_id)).toMatchObject({
      status: 409,
      body: { code: 'conflict', detail: { missing: [1] } },
    });
    expect((await kit.call('GET', `/${dataset}/uploads/${upload_id}`)).body).toMatchObject({
      received: [0, 2],
      state: 'open',
    });
    expect((await kit.complete(dataset, upload_id)).body.detail).toEqual({ missing: [1] });
    await kit.chunk(dataset, upload_id, 1, pieces[1] as Buffer);
    expect((await kit.complete(dataset, upload_id)).status).toBe(202);
    const ended = await kit.ended(dataset, upload_id);
    expect(ended).toMatchObject({ state: 'done', result: { created: 1 } });
    expect(sha256(await download(ended.result.file_ids[0]))).toBe(sha256(bytes));
  });

  it('refuses chunks that are too large, too small, out of range, without a length or after the end', async () => {
    const { upload_id } = await open({ filename: 'sizes.bin', size: KIB_64 + 10, chunk_size: KIB_64 });
    expect(await kit.chunk(dataset, upload_id, 0, Buffer.alloc(KIB_64 + 1))).toMatchObject({
      status: 413,
      body: { code: 'payload_too_large', detail: { chunk_size: KIB_64 } },
    });
    expect((await kit.chunk(dataset, upload_id, 0, Buffer.alloc(10))).status).toBe(422);
    expect((await kit.chunk(dataset, upload_id, 2, Buffer.alloc(10))).status).toBe(422);
    expect(
      await kit.call('PUT', `/${dataset}/uploads/${upload_id}/chunks/x`, { body: Buffer.alloc(1) }),
    ).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['path', 'index'], msg: 'must be a whole number' }] },
    });
    expect(
      (await kit.chunk(dataset, upload_id, 1, Buffer.alloc(10), { 'content-encoding': 'gzip' })).status,
    ).toBe(415);
    const streamed = await fetch(`${api.base}/api/v1/datasets/${dataset}/uploads/${upload_id}/chunks/1`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${kit.token}`, 'x-tenant': kit.tenant.code },
      body: new Blob([Buffer.alloc(10)]).stream(),
      duplex: 'half',
    } as RequestInit);
    expect(streamed.status).toBe(422);
    await kit.chunk(dataset, upload_id, 0, Buffer.alloc(KIB_64));
    await kit.chunk(dataset, upload_id, 1, Buffer.alloc(10));
    await kit.complete(dataset, upload_id);
    await kit.ended(dataset, upload_id);
    expect((await kit.chunk(dataset, upload_id, 1, Buffer.alloc(10))).status).toBe(409);
    expect((await kit.complete(dataset, upload_id)).status).toBe(202);
  });

  it('takes a chunk whole or not at all when the client leaves half-way', async () => {
    const { upload_id } = await open({ filename: 'cut.bin', size: 2 * MIB_5, chunk_size: MIB_5 });
    const { port } = new URL(api.base);
    await new Promise<void>((resolve) => {
      const socket = connect(Number(port), '127.0.0.1', () => {
        socket.write(
          `PUT /api/v1/datasets/${dataset}/uploads/${upload_id}/chunks/0 HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${kit.token}\r\nX-Tenant: ${kit.tenant.code}\r\nContent-Type: application/octet-stream\r\nContent-Length: ${MIB_5}\r\n\r\n`,
        );
        socket.write(Buffer.alloc(100_000), () => setTimeout(() => socket.destroy(), 200));
      });
      socket.on('close', () => resolve());
    });
    await kit.query('select pg_sleep(0.5)');
    expect((await kit.call('GET', `/${dataset}/uploads/${upload_id}`)).body.received).toEqual([]);
    expect((await kit.chunk(dataset, upload_id, 0, Buffer.alloc(MIB_5, 1))).status).toBe(200);
  });

  it.each([
    ['one small chunk', KIB_64, 10],
    ['small chunks', KIB_64, 2 * KIB_64],
    ['large chunks', MIB_5, 2 * MIB_5],
  ])(
    'keeps a promised sha256: other bytes in %s end as failed and leave nothing',
    async (name, size, length) => {
      const before = await kit.inStore();
      const added = async () => (await kit.inStore()).filter((key) => !before.includes(key));
      const { upload_id } = await open({
        filename: `promise/${name}.bin`,
        size: length,
        chunk_size: size,
        sha256: 'a'.repeat(64),
      });
      for (const [index, piece] of chunksOf(Buffer.alloc(length), size).entries())
        await kit.chunk(dataset, upload_id, index, piece);
      expect(await added()).not.toEqual([]);
      await kit.complete(dataset, upload_id);
      const ended = await kit.ended(dataset, upload_id);
      expect(ended).toMatchObject({
        state: 'failed',
        result: null,
        error: expect.stringContaining(sha256(Buffer.alloc(length))),
      });
      expect((await kit.complete(dataset, upload_id)).status).toBe(409);
      expect((await kit.call('GET', `/${dataset}/files?q=promise`)).body.total).toBe(0);
      for (let left = 100; left > 0 && (await added()).length > 0; left -= 1)
        await kit.query('select pg_sleep(0.1)');
      expect(await added()).toEqual([]);
    },
  );

  it('takes a file of no bytes, skips the same and reports another of the same path', async () => {
    const put = async (bytes: Buffer) => {
      const { upload_id } = await open({ filename: 'a/same.bin', size: bytes.length });
      if (bytes.length > 0) await kit.chunk(dataset, upload_id, 0, bytes);
      await kit.complete(dataset, upload_id);
      return (await kit.ended(dataset, upload_id)).result;
    };
    expect(await put(Buffer.alloc(0))).toMatchObject({ created: 1, skipped: 0 });
    expect(await put(Buffer.alloc(0))).toMatchObject({ created: 0, skipped: 1, file_ids: [], errors: [] });
    expect(await put(Buffer.from('x'))).toMatchObject({
      created: 0,
      errors: [{ path: 'a/same.bin', code: 'conflict' }],
    });
  });

  it('unpacks a ZIP like an archive', async () => {
    const leavings = {
      'zip/.DS_Store': Buffer.from('x'),
      '__MACOSX/zip/._a.png': Buffer.from('x'),
      'zip/Thumbs.db': Buffer.from('x'),
    };
    const archive = await zip({ 'zip/a.png': await png(1), 'zip/b.txt': Buffer.from('b'), ...leavings });
    const { upload_id } = await open({ filename: 'set.zip', size: archive.length, chunk_size: KIB_64 });
    await kit.chunk(dataset, upload_id, 0, archive);
    await kit.complete(dataset, upload_id);
    expect((await kit.ended(dataset, upload_id)).result).toMatchObject({
      created: 2,
      skipped: 0,
      errors: [],
      left_out: { folder: 0, desktop_file: 3 },
    });
    expect(
      (await kit.call('GET', `/${dataset}/files?q=zip%2F`)).body.items.map(
        (file: { path: string }) => file.path,
      ),
    ).toEqual(['zip/a.png', 'zip/b.txt']);
  });

  it.each([
    ['small', KIB_64, 8],
    ['large', MIB_5, 4],
  ])(
    'starts one assembly for many completes at once, beside %s chunks sent again',
    async (name, size, count) => {
      const bytes = randomBytes(count * size);
      const pieces = chunksOf(bytes, size);
      const path = `crowd-${name}.bin`;
      const { upload_id } = await open({
        filename: path,
        size: bytes.length,
        chunk_size: size,
        sha256: sha256(bytes),
      });
      await Promise.all(
        [...pieces.entries(), ...pieces.entries()].map(async ([index, piece]) =>
          expect((await kit.chunk(dataset, upload_id, index, piece)).status).toBe(200),
        ),
      );
      const answers = await Promise.all([
        ...Array.from({ length: 10 }, () => kit.complete(dataset, upload_id)),
        kit.chunk(dataset, upload_id, 3, pieces[3] as Buffer),
      ]);
      expect(answers.slice(0, 10).map(({ status }) => status)).toEqual(Array(10).fill(202));
      expect([200, 409]).toContain(answers[10]?.status);
      expect(await kit.ended(dataset, upload_id)).toMatchObject({ state: 'done', result: { created: 1 } });
      const rows = await kit.query('select 1 from dataset_file where path = $1', [path]);
      expect(rows).toHaveLength(1);
    },
  );

  it.each([
    ['done', MIB_5],
    ['failed', MIB_5],
    ['done', KIB_64],
  ])(
    'answers a chunk that comes while its session ends that it is %s (chunks of %i bytes)',
    async (state, size) => {
      const bytes = randomBytes(2 * size);
      const { upload_id } = await open({
        filename: `late/${state}-${size}.bin`,
        size: bytes.length,
        chunk_size: size,
        sha256: state === 'done' ? sha256(bytes) : '0'.repeat(64),
      });
      for (const [index, piece] of chunksOf(bytes, size).entries())
        await kit.chunk(dataset, upload_id, index, piece);
      const late = Array.from({ length: 3 }, () => slowChunk(kit, dataset, upload_id, bytes.subarray(size)));
      await kit.query('select pg_sleep(0.3)');
      await kit.complete(dataset, upload_id);
      expect(await kit.ended(dataset, upload_id)).toMatchObject({ state });
      for (const chunk of late)
        expect(await chunk.finish()).toMatchObject({
          status: 409,
          body: { code: 'conflict', detail: { state } },
        });
    },
  );

  it('asks for a new session where a chunk comes for one that lost its parts', async () => {
    const { upload_id } = await open({ filename: 'lost.bin', size: 2 * MIB_5, chunk_size: MIB_5 });
    const [session] = await kit.query<{ key: string }>(
      'select object_key as key from dataset_upload where id = $1',
      [upload_id],
    );
    await api.container.objects.abortMultipart(session?.key as string, null);
    expect(await kit.chunk(dataset, upload_id, 0, Buffer.alloc(MIB_5))).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('open a new one') },
    });
  });

  it('ends well-defined when one index gets different bytes at once', async () => {
    const [a, b] = [randomBytes(KIB_64), randomBytes(KIB_64)];
    const { upload_id } = await open({ filename: 'race.bin', size: KIB_64 });
    await Promise.all([a, b, a, b].map((piece) => kit.chunk(dataset, upload_id, 0, piece)));
    await kit.complete(dataset, upload_id);
    const ended = await kit.ended(dataset, upload_id);
    if (ended.state === 'failed') expect(ended.error).toMatch(/different bytes/);
    else expect([sha256(a), sha256(b)]).toContain(sha256(await download(ended.result.file_ids[0])));
    const [file] = await kit.query<{ sha256: string }>(
      "select sha256 from dataset_file where path = 'race.bin'",
    );
    if (file) expect(sha256(await download(ended.result.file_ids[0]))).toBe(file.sha256);
  });

  it('raises a chunk size only to stay within 10,000 chunks and refuses one below 64 KiB', async () => {
    expect(await open({ filename: 'huge.bin', size: 10_000 * KIB_64 + 1, chunk_size: KIB_64 })).toMatchObject(
      { chunk_size: 2 * KIB_64, chunk_count: 5001 },
    );
    expect((await kit.open(dataset, { filename: 'x', size: 10, chunk_size: 65_535 })).status).toBe(422);
    expect((await kit.open(dataset, { filename: '../x', size: 10 })).status).toBe(422);
    expect((await kit.open(dataset, { filename: 'x', size: -1 })).status).toBe(422);
    expect((await kit.open(dataset, { size: 1 })).status).toBe(422);
  });

  it('expires after 7 idle days', async () => {
    const { upload_id } = await open({ filename: 'old.bin', size: 10 });
    await kit.query("update dataset_upload set touched_at = now() - interval '8 days' where id = $1", [
      upload_id,
    ]);
    expect((await kit.chunk(dataset, upload_id, 0, Buffer.alloc(10))).status).toBe(409);
    expect((await kit.complete(dataset, upload_id)).body.message).toMatch(/expired/);
    expect((await kit.call('GET', `/${dataset}/uploads/${upload_id}`)).body.state).toBe('expired');
  });

  it('refuses every upload while a sync runs', async () => {
    const id = await kit.draft('Syncing');
    const { body: session } = await kit.open(id, { filename: 'a.bin', size: 1 });
    const [sync] = await kit.query<{ id: string }>(
      `insert into dataset_sync (tenant_id, dataset_id, source_id, source_key, source_name, remote_dataset_id, trigger, status)
       select tenant_id, id, gen_random_uuid(), 's', 's', 'r', 'manual', 'running' from dataset where key = $1 returning id`,
      [id],
    );
    await kit.query('update dataset set active_sync_id = $2 where key = $1', [id, sync?.id]);
    expect((await kit.upload(id, 'a.png', Buffer.from('x'))).status).toBe(409);
    expect((await kit.upload(id, 'a.zip', await zip({}), 'archive')).status).toBe(409);
    expect((await kit.open(id, { filename: 'b.bin', size: 1 })).status).toBe(409);
    expect((await kit.chunk(id, session.upload_id, 0, Buffer.from('x'))).status).toBe(409);
  });

  it('writes one audit row for a file and one for a session, none for its chunks', async () => {
    const counts = async () => {
      const rows = await kit.query<{ action: string; n: number }>(
        // A validation that an earlier test left ends when it likes.
        "select action, count(*) as n from audit_entry where tenant_id = $1 and action <> 'dataset.freeze' group by action",
        [kit.tenant.id],
      );
      return Object.fromEntries(rows.map(({ action, n }) => [action, n]));
    };
    const before = await counts();
    expect((await kit.upload(dataset, 'audited.bin', randomBytes(9))).status).toBe(201);
    const { upload_id } = await open({ filename: 'audited-too.bin', size: 2 * KIB_64, chunk_size: KIB_64 });
    for (const index of [0, 1])
      expect((await kit.chunk(dataset, upload_id, index, randomBytes(KIB_64))).status).toBe(200);
    expect((await kit.complete(dataset, upload_id)).status).toBe(202);
    expect(await kit.ended(dataset, upload_id)).toMatchObject({ state: 'done' });
    const one = (action: string) => ({ [action]: (before[action] ?? 0) + 1 });
    expect(await counts()).toEqual({ ...before, ...one('dataset.file_add'), ...one('dataset.upload') });
    const known = ['tenant.create', 'dataset.create', 'dataset.upload'];
    expect(Object.keys(before).filter((action) => !known.includes(action))).toEqual([]);
  });
});
