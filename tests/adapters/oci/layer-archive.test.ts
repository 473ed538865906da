import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from '@jest/globals';
import { extract } from 'tar-stream';
import { writeLayer } from '../../../adapters/oci/layer-archive.js';
import { readServingPrograms } from '../../../activities/images/runtime-programs.js';
import type { LayerMember } from '../../../core/ports/layer-writer.js';
import { modelManifest } from '../../../models/images/model-manifest.js';

const folder = mkdtempSync(join(tmpdir(), 'visionops-layer-test-'));
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const member = (path: string, content: string | Buffer): LayerMember => {
  const bytes = Buffer.from(content);
  return { path, sizeBytes: bytes.length, sha256: sha256(bytes), open: async () => Readable.from([bytes]) };
};
const MEMBERS = [
  member('serve.py', 'print(1)'),
  member('model/MLmodel', 'flavors: {}'),
  member('model/big.bin', Buffer.alloc(3 << 20, 'abc')),
  member('model/empty', ''),
  member(`model/${'long/'.repeat(40)}x`, 'deep'),
];
const never = new AbortController().signal;

describe('an image layer', () => {
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('has the same bytes whatever the order and time of its members, and the digests that it says', async () => {
    const [one, two] = [join(folder, 'one'), join(folder, 'two')];
    const first = await writeLayer(one, MEMBERS, never);
    await new Promise((done) => setTimeout(done, 1100));
    expect(await writeLayer(two, [...MEMBERS].reverse(), never)).toEqual(first);
    const bytes = readFileSync(one);
    expect(bytes.equals(readFileSync(two))).toBe(true);
    expect(first).toEqual({
      digest: `sha256:${sha256(bytes)}`,
      size: bytes.length,
      diffId: `sha256:${sha256(gunzipSync(bytes))}`,
    });
    // Neither a time nor a system in the header of gzip.
    expect([...bytes.subarray(4, 10)]).toEqual([0, 0, 0, 0, 0, 255]);
  });

  it('unpacks to regular files without owner and time', async () => {
    const path = join(folder, 'unpacked');
    await writeLayer(path, MEMBERS, never);
    const found: unknown[] = [];
    const reader = extract();
    reader.on('entry', (header, stream, next) => {
      found.push([
        header.name,
        header.size,
        header.type,
        header.mode,
        header.uid,
        header.gid,
        header.mtime?.getTime(),
      ]);
      stream.on('end', next).resume();
    });
    reader.end(gunzipSync(readFileSync(path)));
    await new Promise<void>((done) => reader.on('finish', () => done()));
    expect(found).toEqual(
      [...MEMBERS]
        .sort((a, b) => (a.path < b.path ? -1 : 1))
        .map((each) => [each.path, each.sizeBytes, 'file', 0o644, 0, 0, 0]),
    );
  });

  it('is not made of bytes that are not those that were registered', async () => {
    const forged = { ...member('model/a', 'good'), open: async () => Readable.from([Buffer.from('evil')]) };
    await expect(writeLayer(join(folder, 'forged'), [forged, ...MEMBERS], never)).rejects.toMatchObject({
      code: 'bad_gateway',
    });
  });

  it('ends when the work is canceled', async () => {
    const abort = new AbortController();
    const stuck = { ...member('model/a', 'x'), open: async () => new Readable({ read: () => undefined }) };
    const made = writeLayer(join(folder, 'canceled'), [stuck], abort.signal);
    setTimeout(() => abort.abort(), 50);
    await expect(made).rejects.toThrow();
  });
});

describe('what an image takes from its runtime', () => {
  it('is the server and the modules it imports, and nothing of training', async () => {
    const { files, digest } = await readServingPrograms(resolve('docker/runtimes'), 'sklearn');
    expect(files.map((file) => file.path).sort()).toEqual([
      'estimators.py',
      'images.py',
      'invocations.py',
      'model_folder.py',
      'pictures.py',
      'serve.py',
    ]);
    expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
  });
  it('holds the licence of a runtime that has one of its own', async () => {
    const { files } = await readServingPrograms(resolve('docker/runtimes'), 'ultralytics');
    const paths = files.map((file) => file.path);
    const own = ['LICENSE', 'NOTICE', 'models.py', 'offline.py', 'oriented.py', 'serve.py'];
    expect(paths).toEqual(expect.arrayContaining([...own, 'predictor.py']));
    expect(paths.filter((path) => /train|loop|tracker/.test(path))).toEqual([]);
  });

  it.each(['unknown', '', '..', '../runtimes/sklearn', 'a/b'])(
    'does not exist for the framework %j',
    async (runtime) => {
      await expect(readServingPrograms(resolve('docker/runtimes'), runtime)).rejects.toMatchObject({
        code: 'unprocessable_entity',
      });
    },
  );
});

describe('the manifest of a model image', () => {
  it('is the same bytes for the same parts, labelled with runtime and lineage', () => {
    const parts = {
      modelName: 'm',
      version: 3,
      runId: 'r',
      datasetDigest: 'd',
      runtime: 'sklearn',
      runtimeDigest: 'sha256:1',
      layer: { mediaType: 'l', digest: `sha256:${'0'.repeat(64)}`, size: 1 },
      diffId: `sha256:${'1'.repeat(64)}`,
    };
    const made = modelManifest(parts);
    expect(modelManifest({ ...parts }).manifest.equals(made.manifest)).toBe(true);
    expect(made.digest).toBe(`sha256:${sha256(made.manifest)}`);
    expect(JSON.parse(made.config.toString()).config.Labels).toMatchObject({
      'io.visionops.runtime': 'sklearn',
      'io.visionops.runtime.digest': 'sha256:1',
      'io.visionops.dataset.digest': 'd',
    });
    expect(JSON.parse(made.manifest.toString())).toMatchObject({
      schemaVersion: 2,
      config: { digest: `sha256:${sha256(made.config)}` },
      layers: [parts.layer],
    });
  });
});
