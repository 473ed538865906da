import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { asTenantId } from '../../../core/security/ids.js';
import { abandonValidation } from '../../../models/datasets/validation/dataset-validation.commands.js';
import { findFrozenDataset, listTrainable } from '../../../models/datasets/catalog/frozen-dataset.queries.js';
import {
  holdDatasetVersion,
  releaseDatasetHolds,
} from '../../../models/datasets/catalog/dataset-hold.commands.js';
import type { Manifest } from '../../../models/datasets/validation/manifest.types.js';
import { DatasetKit, png, zip } from './support/dataset-kit.js';
import { openWorkingKit, type WorkingKit } from './support/open-dataset-kit.js';

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

describe('datasets', () => {
  let lab: WorkingKit;
  let api: WorkingKit['api'];
  let kit: DatasetKit;
  beforeAll(async () => {
    lab = await openWorkingKit();
    ({ api, kit } = lab);
  });
  afterAll(() => lab?.close());

  it('creates a catalog entry with the declared figures and refuses its id twice', async () => {
    const json = {
      id: 'Cats.v1',
      name: 'Cats',
      record_count: 12,
      size_bytes: 3456,
      variables: [{ name: 'age', dtype: 'int32', extra: 1 }],
      surprise: true,
    };
    const created = await kit.call('POST', '', { json });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({
      id: 'Cats.v1',
      status: 'DRAFT',
      validation_status: 'PENDING',
      source: 'upload',
      format: 'images',
      record_count: 12,
      size_bytes: 3456,
      variables: [{ name: 'age', dtype: 'int32', extra: 1 }],
    });
    expect(created.body).not.toHaveProperty('surprise');
    expect((await kit.call('POST', '', { json })).status).toBe(409);
    const odd = await kit.call('POST', '', {
      json: { id: 'odd-time', name: 'X', validation: { checked_at: 'x' } },
    });
    expect(odd).toMatchObject({
      status: 422,
      body: {
        detail: [
          { loc: ['body', 'validation', 'checked_at'], msg: expect.stringContaining('must be a time') },
        ],
      },
    });
    for (const id of ['drafts', '-x', 'a b', 'a:b', ''])
      expect((await kit.call('POST', '', { json: { id, name: 'X' } })).status).toBe(422);
  });

  it('makes ids of drafts from their names, each its own', async () => {
    const ids = [];
    for (let i = 0; i < 3; i += 1) ids.push(await kit.draft('Küche 2 (Nacht)'));
    expect(ids).toEqual(['kuche-2-nacht', 'kuche-2-nacht-2', 'kuche-2-nacht-3']);
    expect(await kit.draft('drafts')).toBe('dataset-drafts');
  });

  it('goes on after the highest number where the first fifty ids of a name are taken', async () => {
    const other = new DatasetKit(api, await api.addTenant());
    await other.draft('Many');
    await api.container.db.inPlatform((tx) =>
      tx.execute(
        `insert into dataset (tenant_id, key, name, modality, source, declared_records, declared_bytes, format, key_fields, variables, validation_status)
         select tenant_id, key || '-' || n, name, modality, source, declared_records, declared_bytes, format, key_fields, variables, validation_status
         from dataset, generate_series(2, 60) as n where tenant_id = $1 and key = 'many'`,
        [other.tenant.id],
      ),
    );
    expect(await other.draft('Many')).toBe('many-61');
  });

  it('lists by part of the name, filters, sorts, and names the allowed keys for a wrong one', async () => {
    const listed = await kit.call('GET', '?q=k%C3%BCche&sort=id&order=desc&page_size=2');
    expect(listed.body).toMatchObject({
      total: 3,
      page: 1,
      page_size: 2,
      items: [{ id: 'kuche-2-nacht-3' }, { id: 'kuche-2-nacht-2' }],
    });
    expect((await kit.call('GET', '?q=100%25')).body.total).toBe(0);
    expect((await kit.call('GET', '?status=FROZEN')).body).toMatchObject({ total: 0, items: [] });
    expect((await kit.call('GET', '?status=frozen')).status).toBe(422);
    const refused = await kit.call('GET', '?sort=password');
    expect(refused.status).toBe(400);
    expect(refused.body.detail.allowed).toContain('name');
  });

  it('changes what is given and leaves the rest', async () => {
    const id = await kit.draft('Before');
    expect((await kit.call('PATCH', `/${id}`, { json: { name: 'After' } })).body).toMatchObject({
      id,
      name: 'After',
      modality: 'image',
      source: 'upload',
    });
    expect((await kit.call('PATCH', '/no-such', { json: { name: 'After' } })).status).toBe(404);
  });

  it('says the id that its workflows are called after, which outlives no deletion', async () => {
    const id = await kit.draft('Called');
    const { uid } = (await kit.call('GET', `/${id}`)).body;
    await kit.upload(id, 'a.png', await png(1));
    await kit.settled(id);
    const found = await api.container.db.inTenant(asTenantId(kit.tenant.id), (tx) =>
      findFrozenDataset(tx, id),
    );
    expect(found?.id).toBe(uid);
    await kit.call('DELETE', `/${id}`);
    expect(await kit.draft('Called')).toBe(id);
    expect((await kit.call('GET', `/${id}`)).body.uid).not.toBe(uid);
  });

  it('takes files with their folders, freezes after a quiet moment and hands training the manifest', async () => {
    const id = await kit.draft('Digits');
    const images = await Promise.all([0, 1, 2, 3].map((n) => png(n)));
    for (const [n, bytes] of images.entries()) {
      const answer = await kit.upload(id, `digit ${n % 2}/bild-ü-${n}.png`, bytes);
      expect(answer.status).toBe(201);
      expect(answer.body).toMatchObject({
        path: `digit ${n % 2}/bild-ü-${n}.png`,
        status: 'pending',
        kind: 'image',
        origin: 'upload',
        media_type: 'image/png',
        sha256: sha256(bytes),
        size_bytes: bytes.length,
      });
    }
    await kit.upload(id, 'README.md', Buffer.from('about'));
    const frozen = await kit.settled(id);
    expect(frozen).toMatchObject({
      status: 'FROZEN',
      validation_status: 'PASSED',
      file_count: 5,
      record_count: 4,
      manifest: {
        classes: [
          { name: 'digit 0', count: 2 },
          { name: 'digit 1', count: 2 },
        ],
      },
    });
    expect(frozen.digest).toMatch(/^[0-9a-f]{64}$/);
    const found = await api.container.db.inTenant(asTenantId(kit.tenant.id), (tx) =>
      findFrozenDataset(tx, id),
    );
    expect(found).toMatchObject({
      key: id,
      digest: frozen.digest,
      fileCount: 5,
      classes: [
        { name: 'digit 0', count: 2 },
        { name: 'digit 1', count: 2 },
      ],
    });
    const pieces: Buffer[] = [];
    for await (const piece of await api.container.objects.get(found?.manifestKey ?? ''))
      pieces.push(piece as Buffer);
    const manifest = JSON.parse(Buffer.concat(pieces).toString()) as Manifest;
    expect(manifest.files.map((file) => file.path)).toEqual([
      'README.md',
      'digit 0/bild-ü-0.png',
      'digit 0/bild-ü-2.png',
      'digit 1/bild-ü-1.png',
      'digit 1/bild-ü-3.png',
    ]);
    expect(manifest.files[1]).toMatchObject({
      label: 'digit 0',
      width: 8,
      height: 8,
      kind: 'image',
      size: images[0]?.length,
    });
    expect(
      sha256(
        Buffer.from(manifest.files.map((file) => `${file.sha256} ${file.size} ${file.path}\n`).join('')),
      ),
    ).toBe(frozen.digest);
    expect(
      (await api.container.db.inTenant(asTenantId(kit.tenant.id), (tx) => listTrainable(tx))).items.map(
        (item) => item.key,
      ),
    ).toEqual([id]);
  });

  it('returns to DRAFT with any change and freezes the same files to the same digest', async () => {
    const id = await kit.draft('Back');
    await kit.upload(id, 'a/1.png', await png(1));
    const first = await kit.settled(id);
    const added = await kit.upload(id, 'a/2.png', await png(2));
    expect((await kit.call('GET', `/${id}`)).body).toMatchObject({
      status: 'DRAFT',
      digest: null,
      validation_status: 'PENDING',
    });
    expect((await kit.settled(id)).digest).not.toBe(first.digest);
    expect((await kit.call('DELETE', `/${id}/files/${added.body.id}`)).status).toBe(204);
    expect((await kit.settled(id)).digest).toBe(first.digest);
    const again = await kit.call('POST', `/${id}/revalidate`);
    expect(again).toMatchObject({ status: 200, body: { status: 'DRAFT' } });
    expect((await kit.settled(id)).digest).toBe(first.digest);
  });

  it('fails a validation naming each bad file, and passes once they are gone', async () => {
    const id = await kit.draft('Broken');
    const good = await sharp({
      create: {
        width: 64,
        height: 64,
        channels: 3,
        noise: { type: 'gaussian', mean: 100, sigma: 40 },
        background: '#000',
      },
    })
      .jpeg()
      .toBuffer();
    await kit.upload(id, 'a/good.jpg', good);
    const cut = await kit.upload(id, 'a/cut.jpg', good.subarray(0, good.length >> 1));
    const failed = await kit.settled(id);
    expect(failed).toMatchObject({ status: 'FAILED', validation_status: 'FAILED', digest: null });
    expect(failed.validation.errors).toEqual([
      expect.objectContaining({
        code: 'file_invalid',
        file_id: cut.body.id,
        message: expect.stringContaining('a/cut.jpg'),
      }),
    ]);
    const invalid = await kit.call('GET', `/${id}/files?status=invalid`);
    expect(invalid.body).toMatchObject({
      total: 1,
      items: [{ path: 'a/cut.jpg', reason: expect.stringContaining('cannot be decoded') }],
    });
    const reported = await kit.api.container.db.inPlatform((tx) =>
      tx.query(
        "select actor_name, outcome from audit_entry where action = 'dataset.validate' and target_id = $1",
        [id],
      ),
    );
    expect(reported).toContainEqual({ actor_name: 'system', outcome: 'failed' });
    await kit.call('DELETE', `/${id}/files/${cut.body.id}`);
    // The report was about other files.
    expect((await kit.call('GET', `/${id}`)).body).toMatchObject({ status: 'DRAFT', validation: null });
    expect((await kit.settled(id)).status).toBe('FROZEN');
    // A worker notifies whoever made it; twice, once for each end.
    const entries = async () => {
      const answer = await kit.api.call('GET', '/api/v1/notifications?page_size=200', {
        token: kit.token,
        tenant: kit.tenant.code,
      });
      return (answer.body.items as Array<{ kind: string; link: string }>)
        .filter(({ link }) => link.startsWith(`/api/v1/datasets/${id}?`))
        .map(({ kind }) => kind);
    };
    for (let left = 100; left > 0 && (await entries()).length < 2; left -= 1)
      await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await entries()).toEqual(['dataset_validated', 'dataset_invalid']);
  });

  it('leaves an empty dataset a DRAFT', async () => {
    const id = await kit.draft('Empty');
    const file = await kit.upload(id, 'a.png', await png(5));
    await kit.call('DELETE', `/${id}/files/${file.body.id}`);
    for (const what of ['revalidate', 'revalidate-annotations'])
      expect(await kit.call('POST', `/${id}/${what}`)).toMatchObject({
        status: 409,
        body: { code: 'conflict' },
      });
    await kit.until(`/${id}`, (body) => body.status === 'DRAFT');
    await expect(
      kit.query("select validation_active from dataset where key = $1 and status = 'DRAFT'", [id]),
    ).resolves.toHaveLength(1);
    // A validation that was ended from outside once the last file was gone.
    const [row] = await kit.query<{ id: string; attempt: number }>(
      'update dataset set validation_active = true where key = $1 returning id, validation_attempt as attempt',
      [id],
    );
    const input = { tenantId: kit.tenant.id, datasetId: row?.id ?? '', attempt: row?.attempt ?? 0 };
    await api.container.db.inTenant(asTenantId(kit.tenant.id), (tx) =>
      abandonValidation(tx, input, {
        checked_at: new Date().toISOString(),
        errors: [],
        warnings: [],
        stats: {},
      }),
    );
    expect((await kit.call('GET', `/${id}`)).body).toMatchObject({
      status: 'DRAFT',
      validation_status: 'PENDING',
      validation: null,
    });
  });

  it('that a validation left before its pass are invalid with the reason, and can be validated anew', async () => {
    const id = await kit.draft('Left');
    await kit.upload(id, 'a.png', await png(6));
    await kit.until(`/${id}`, (body) => body.status === 'FROZEN');
    // Files have changed, and the workflow was ended from outside while it waited for quiet.
    const [row] = await kit.query<{ id: string; attempt: number }>(
      `update dataset set validation_active = true, status = 'DRAFT', validation_status = 'PENDING' where key = $1
       returning id, validation_attempt as attempt`,
      [id],
    );
    const input = { tenantId: kit.tenant.id, datasetId: row?.id ?? '', attempt: row?.attempt ?? 0 };
    const report = { checked_at: new Date().toISOString(), errors: [], warnings: [], stats: {} };
    for (const _again of [1, 2])
      await api.container.db.inTenant(asTenantId(kit.tenant.id), (tx) =>
        abandonValidation(tx, input, report),
      );
    expect((await kit.call('GET', `/${id}`)).body).toMatchObject({
      status: 'FAILED',
      validation_status: 'FAILED',
    });
    expect((await kit.call('POST', `/${id}/revalidate`)).status).toBe(200);
    await kit.until(`/${id}`, (body) => body.status === 'FROZEN');
  });

  it('samples over the classes', async () => {
    const id = await kit.draft('Sample');
    await kit.upload(
      id,
      'set.zip',
      await zip(
        Object.fromEntries(
          await Promise.all([...'aabbcc'].map(async (label, n) => [`${label}/${n}.png`, await png(n)])),
        ),
      ),
      'archive',
    );
    const { body } = await kit.call('GET', `/${id}/sample?limit=4`);
    expect(body.total).toBe(6);
    expect(body.rows.map((row: { label: string }) => row.label)).toEqual(['a', 'b', 'c', 'a']);
    expect((await kit.call('GET', `/${id}/sample?limit=0`)).status).toBe(422);
  });

  it('keeps what a run holds: names the users, goes with force, frees the objects with the last hold', async () => {
    const id = await kit.draft('Held');
    await kit.upload(id, 'a/1.png', await png(201));
    await kit.upload(id, 'b/1.png', await png(202));
    await kit.settled(id);
    const tenantId = asTenantId(kit.tenant.id);
    const run = '3f1f8c52-0000-4000-8000-00000000abcd';
    const found = await api.container.db.inTenant(tenantId, async (tx) => {
      const frozen = await findFrozenDataset(tx, id);
      await holdDatasetVersion(tx, frozen?.versionId ?? '', { kind: 'experiment', id: run });
      return frozen;
    });
    expect((await kit.call('GET', `/${id}/usage`)).body).toMatchObject({
      total: 1,
      items: [{ kind: 'experiment', experiment_id: run, digest: found?.digest }],
    });
    const keys = (
      await kit.query<{ object_key: string }>(
        'select f.object_key from dataset_file f join dataset d on d.id = f.dataset_id where d.key = $1',
        [id],
      )
    ).map((row) => row.object_key);
    const refused = await kit.call('DELETE', `/${id}`);
    expect(refused).toMatchObject({
      status: 409,
      body: { detail: { users: [{ kind: 'experiment', id: run }] } },
    });
    expect((await kit.call('DELETE', `/${id}?force=true`)).status).toBe(204);
    expect((await kit.call('GET', `/${id}`)).status).toBe(404);
    await kit.query('select pg_sleep(4)');
    expect(await kit.objectKeys()).toEqual(expect.arrayContaining([...keys, found?.manifestKey]));
    await api.container.db.inTenant(tenantId, (tx) =>
      releaseDatasetHolds(tx, { kind: 'experiment', id: run }),
    );
    for (let left = 100; left > 0; left -= 1) {
      const there = new Set(await kit.objectKeys());
      if (![...keys, found?.manifestKey ?? ''].some((key) => there.has(key))) return;
      await kit.query('select pg_sleep(0.1)');
    }
    throw new Error('the objects of a released version were not freed');
  });

  it('hides datasets from other tenants and from roles without the permission', async () => {
    const id = await kit.draft('Hidden');
    const other = new DatasetKit(api, await api.addTenant());
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['GET', '/files'],
      ['GET', '/sample'],
      ['GET', '/usage'],
      ['POST', '/revalidate'],
    ] as const)
      expect(
        (await other.call(method, `/${id}${path}`, method === 'PATCH' ? { json: { name: 'x' } } : {})).status,
      ).toBe(404);
    expect((await other.call('GET', '?q=Hidden')).body.total).toBe(0);
    const viewer = await api.addUser({ [kit.tenant.code]: 'VIEWER' });
    const asViewer = new DatasetKit(api, kit.tenant, viewer.token);
    expect((await asViewer.call('GET', `/${id}`)).status).toBe(200);
    expect((await asViewer.upload(id, 'a.png', Buffer.from('x'))).status).toBe(403);
    expect((await asViewer.call('DELETE', `/${id}`)).status).toBe(403);
  });

  it('leaves no object behind once everything is deleted', async () => {
    const own = new DatasetKit(api, await api.addTenant());
    const id = await own.draft('Gone');
    await own.upload(id, 'a/1.png', await png(1));
    const archive = await zip({ 'b/1.png': await png(2), 'b/2.png': await png(3) });
    expect((await own.upload(id, 'b.zip', archive, 'archive')).body).toMatchObject({
      created: 2,
      skipped: 0,
      errors: [],
    });
    expect((await own.upload(id, 'b.zip', archive, 'archive')).body).toMatchObject({
      created: 0,
      skipped: 2,
    });
    const { body: open } = await own.open(id, { filename: 'big.bin', size: 200_000, chunk_size: 65_536 });
    await own.chunk(id, open.upload_id, 1, Buffer.alloc(65_536, 1));
    await own.settled(id);
    expect((await own.objectKeys()).length).toBeGreaterThan(3);
    expect((await own.call('DELETE', `/${id}`)).status).toBe(204);
    const recorded = () =>
      own.query('select object_key, due_at from orphaned_object where tenant_id = $1', [own.tenant.id]);
    // The sweeper forgets an object after the store has removed it.
    for (let left = 150; left > 0 && (await recorded()).length > 0; left -= 1)
      await own.query('select pg_sleep(0.1)');
    expect([await recorded(), await own.objectKeys()]).toEqual([[], []]);
  });

  it('counts valid images alone in the classes of a dataset that is not frozen, as its report does', async () => {
    const id = await kit.draft('Half broken');
    await kit.upload(id, 'cat/1.png', await png(1, 20, 20));
    await kit.upload(id, 'cat/2.png', (await png(2, 20, 20)).subarray(0, 60));
    await kit.upload(id, 'dog/1.png', (await png(3, 20, 20)).subarray(0, 60));
    const failed = await kit.settled(id);
    expect(failed.status).toBe('FAILED');
    expect(failed.validation.stats).toMatchObject({ invalid: 2, class_count: 1, classes: { cat: 1 } });
    expect(failed.manifest).toMatchObject({ class_count: 1, classes: [{ name: 'cat', count: 1 }] });
  });

  it('lists the first thousand classes and counts the others', async () => {
    const id = await kit.draft('Many classes');
    const seed = (count: number) =>
      kit.query(
        `insert into dataset_file (tenant_id, dataset_id, path, sha256, size_bytes, object_key, media_type, kind, label, added_revision)
         select d.tenant_id, d.id, n || '/1.png', repeat('0', 64), 1, 'k', 'image/png', 'image', lpad(n::text, 5, '0'), 1 from dataset d, generate_series(1, $3::int) as n where d.tenant_id = $1 and d.key = $2`,
        [kit.tenant.id, id, count],
      );
    await seed(1234);
    const draft = (await kit.call('GET', `/${id}`)).body.manifest;
    expect([draft.classes.length, draft.classes[999], draft.class_count]).toEqual([
      1000,
      { name: '01000', count: 1 },
      1234,
    ]);
    const classes = Array.from({ length: 1500 }, (_, n) => ({ name: `c${n}`, count: 1 }));
    await kit.query(
      `with v as (
         insert into dataset_version (tenant_id, dataset_id, dataset_key, dataset_name, revision, digest, manifest_key, file_count, size_bytes, classes, tasks)
         select tenant_id, id, key, name, 1, repeat('0', 64), 'm', 1, 1, $3::jsonb, jsonb_build_object('classification', $3::jsonb) from dataset where tenant_id = $1 and key = $2 returning id)
       update dataset d set status = 'FROZEN', version_id = v.id from v where d.tenant_id = $1 and d.key = $2`,
      [kit.tenant.id, id, JSON.stringify(classes)],
    );
    const { manifest } = (await kit.call('GET', `/${id}`)).body;
    expect([
      manifest.classes.length,
      manifest.class_count,
      manifest.tasks.classification.length,
      manifest.task_class_counts,
    ]).toEqual([1000, 1500, 1000, { classification: 1500 }]);
    const listed = await kit.api.call('GET', '/api/v1/training/datasets', {
      token: kit.token,
      tenant: kit.tenant.code,
    });
    expect(listed.body.items).toContainEqual(expect.objectContaining({ id, class_count: 1500 }));
  });
});
