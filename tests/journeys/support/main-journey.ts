import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import type pg from 'pg';
import { openSse } from '../../api/support/sse-reader.js';
import {
  type ImageFile,
  type LabelledImage,
  type RealImages,
  sha256,
  zipOf,
} from '../../builders/real-images.js';
import { namesIn, trainersOf } from '../../faults/main-jobs/processes.js';
import { PlatformClient } from '../../setup/platform-client.js';
import { ADMIN } from '../../setup/supervised-platform.js';
import { type Hidden, leaksTo } from './seen-by-training.js';
import { collectOrphanedObjects, compareStore, type StoreAccess } from './stored-objects.js';

const CHUNK = 65_536;
/** That of the images of a journey; the others train. */
export const HELD_BACK = 150;
const PASSWORD = 'a long enough 1 phrase';
const DATASET = '/api/v1/datasets/postcodes';
const EXPERIMENTS = '/api/v1/training/experiments';
const ENDPOINT = '/api/v1/serving/endpoints/postcodes';
const TERMINAL = new Set(['SUCCEEDED', 'FAILED', 'CANCELED']);

/** An installation of one machine or of several, with nothing in it but its administrator. */
export interface JourneyStage {
  readonly base: string;
  readonly owner: pg.Client;
  readonly images: RealImages;
  /** How many there are, with the one of the journey. */
  readonly tenants: number;
  /** Experiments that were made, ended and deleted, with the two of the journey. */
  readonly trainings: number;
  /** Directories of the workloads, one for each host. */
  workloads(): string[];
  /** What no training may see. */
  hidden(): Hidden;
  store(): StoreAccess;
  /** @returns the exit code of the command */
  verifyAudit(): Promise<number | null>;
}

/**
 * From nothing to a trained model that answers, and back to nothing: the tests of one journey, in their order.
 * @param withModel defines further tests, which find the model of the journey
 */
export function mainJourney(stage: () => JourneyStage, withModel: () => void = () => undefined): void {
  const images = () => stage().images;
  let admin: PlatformClient;
  let engineer: PlatformClient;
  let viewer: PlatformClient;
  let experimentId: string;
  let runId: string;
  let imageId: string;
  let digest: string;

  const config = (over: Record<string, unknown> = {}) => ({
    task: 'classification',
    framework: 'sklearn',
    model: 'mlp',
    dataset_id: 'postcodes',
    gpu: 0,
    classes: ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'],
    split: { mode: 'ratio', train: 0.8, val: 0.1, test: 0.1, seed: 7, stratify: true },
    hyperparameters: 'epochs: 12\nhidden: 96\n',
    ...over,
  });
  const sendByChunks = async (file: ImageFile) => {
    const { body } = await engineer.expect(201, 'POST', `${DATASET}/uploads`, {
      json: { filename: file.path, size: file.bytes.length, sha256: sha256(file.bytes), chunk_size: CHUNK },
    });
    const session = `${DATASET}/uploads/${body.upload_id}`;
    for (let index = body.chunk_count - 1; index >= 0; index -= 1)
      await engineer.expect(200, 'PUT', `${session}/chunks/${index}`, {
        bytes: file.bytes.subarray(index * CHUNK, (index + 1) * CHUNK),
      });
    return { session, chunks: body.chunk_count as number };
  };

  it('registers people, a tenant and their roles', async () => {
    admin = await PlatformClient.signIn(stage().base, ADMIN.email, ADMIN.password);
    await admin.expect(201, 'POST', '/api/v1/settings/tenants', {
      json: { code: 'post', name: 'Post office' },
    });
    const join = async (email: string, role: string) => {
      const { body } = await new PlatformClient(stage().base).expect(201, 'POST', '/auth/register', {
        json: { email, password: PASSWORD },
      });
      await admin.expect(200, 'PATCH', `/api/v1/system/users/${body.id}/role`, {
        json: { tenant_code: 'post', role },
      });
      return PlatformClient.signIn(stage().base, email, PASSWORD, 'post');
    };
    engineer = await join('engineer@example.com', 'ML_ENGINEER');
    viewer = await join('viewer@example.com', 'VIEWER');
    expect(
      (await viewer.call('POST', '/api/v1/datasets', { json: { id: 'postcodes', name: 'Postcodes' } }))
        .status,
    ).toBe(403);
  });

  it('takes a dataset as an archive, as single files and in chunks', async () => {
    await engineer.expect(201, 'POST', '/api/v1/datasets', {
      json: { id: 'postcodes', name: 'Postcodes', source: 'upload', format: 'images' },
    });
    const [single, archived] = [images().digits.slice(0, 5), images().digits.slice(5)];
    for (const { path, bytes } of single) {
      const { body } = await engineer.expect(201, 'POST', `${DATASET}/files`, {
        file: { name: path, bytes },
      });
      expect(body).toMatchObject({ path, sha256: sha256(bytes) });
    }
    const { body } = await engineer.expect(201, 'POST', `${DATASET}/archive`, {
      file: { name: 'scans.zip', bytes: await zipOf(archived) },
    });
    expect(body).toMatchObject({ created: archived.length, skipped: 0, errors: [] });

    const china = { path: 'photographs/china.jpg', bytes: images().photographs[0]?.bytes as Buffer };
    const { session, chunks } = await sendByChunks(china);
    expect(chunks).toBe(Math.ceil(china.bytes.length / CHUNK));
    expect((await engineer.expect(200, 'GET', session)).body.received).toEqual(
      Array.from({ length: chunks }, (_, index) => index),
    );
    await engineer.expect(202, 'POST', `${session}:complete`);
    const done = await engineer.until(
      session,
      (upload) => upload.state === 'done' || upload.state === 'failed',
    );
    expect(done).toMatchObject({ state: 'done', result: { created: 1 } });
    const content = await viewer.expect(200, 'GET', `${DATASET}/files/${done.result.file_ids[0]}/content`);
    expect(sha256(content.bytes)).toBe(sha256(china.bytes));
  });

  it('names the photograph that is cut off, and freezes the dataset with a digest once it is gone', async () => {
    const flower = images().photographs[1]?.bytes as Buffer;
    const cut = await engineer.expect(201, 'POST', `${DATASET}/files`, {
      file: { name: 'photographs/flower.jpg', bytes: flower.subarray(0, 20_000) },
    });
    const failed = await engineer.until(
      DATASET,
      (dataset) => dataset.status === 'FAILED' || dataset.status === 'FROZEN',
    );
    expect(failed).toMatchObject({ status: 'FAILED', validation: { errors: [{ file_id: cut.body.id }] } });
    expect((await engineer.call('POST', EXPERIMENTS, { json: config() })).status).toBe(422);
    await engineer.expect(204, 'DELETE', `${DATASET}/files/${cut.body.id}`);
    await engineer.expect(201, 'POST', `${DATASET}/files`, {
      file: { name: 'photographs/flower.jpg', bytes: flower },
    });
    const frozen = await engineer.until(
      DATASET,
      (dataset) => dataset.status === 'FROZEN' || dataset.status === 'FAILED',
    );
    expect(frozen).toMatchObject({ status: 'FROZEN', validation_status: 'PASSED' });
    digest = frozen.digest;
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
    const listed = await viewer.expect(200, 'GET', `${DATASET}/files?page_size=1`);
    expect(listed.body.total).toBe(images().digits.length + 2);
  });

  it('refuses a wrong config by the name of its field before anything starts', async () => {
    const wrong = await engineer.call('POST', EXPERIMENTS, {
      json: config({ hyperparameters: 'epochs: many\n' }),
    });
    expect([wrong.status, JSON.stringify(wrong.body)]).toEqual([422, expect.stringContaining('epochs')]);
    expect((await engineer.expect(200, 'GET', EXPERIMENTS)).body.total).toBe(0);
  });

  it('trains on it in a process of its own and shows every step while it does', async () => {
    const started = await engineer.expect(202, 'POST', EXPERIMENTS, {
      json: config({
        experiment_name: 'post/postcodes',
        register_model: true,
        register_model_name: 'postcodes',
      }),
    });
    ({ id: experimentId, tracker_run_id: runId } = started.body);
    const stream = await openSse(`${stage().base}${EXPERIMENTS}/${experimentId}/logs`, {
      authorization: `Bearer ${viewer.token}`,
      'x-tenant': 'post',
    });
    const seen: Array<{ event: string; data: Record<string, unknown> }> = [];
    do seen.push(await stream.next(120_000));
    while (!(seen.at(-1)?.event === 'experiment' && TERMINAL.has(String(seen.at(-1)?.data.status))));
    stream.close();
    const { body } = await viewer.expect(200, 'GET', `${EXPERIMENTS}/${experimentId}`);
    expect(body).toMatchObject({ status: 'SUCCEEDED', progress: 1, attempt: 1 });
    expect(seen[0]).toEqual({ event: 'connected', data: { channel: 'experiment-logs:post' } });
    const lines = seen
      .filter((event) => event.event === 'log')
      .flatMap((event) => event.data.lines as string[]);
    const epochs = lines.flatMap((line) => /Epoch (\d+)\/12/.exec(line)?.[1] ?? []).map(Number);
    expect(epochs).toEqual(Array.from({ length: 12 }, (_, at) => at + 1));
    const { body: steps } = await viewer.expect(200, 'GET', `${EXPERIMENTS}/${experimentId}/steps`);
    expect(steps.items.map((step: { status: string }) => step.status)).toEqual([
      'done',
      'done',
      'done',
      'done',
    ]);
  });

  it('keeps log, curves and artifacts', async () => {
    expect(
      (await viewer.expect(200, 'GET', `${EXPERIMENTS}/${experimentId}/log`)).bytes.toString(),
    ).toContain('Epoch 12/12');
    const series = await viewer.expect(
      200,
      'GET',
      `/api/v1/runs/${runId}/metrics/${encodeURIComponent('train/loss')}`,
    );
    expect(series.body.points.map((point: { step: number }) => point.step)).toEqual(
      Array.from({ length: 12 }, (_, at) => at + 1),
    );
    const run = await viewer.expect(200, 'GET', `/api/v1/runs/${runId}`);
    expect(run.body).toMatchObject({
      status: 'FINISHED',
      registered_versions: [{ name: 'postcodes', version: 1 }],
    });
    const zip = await viewer.expect(200, 'GET', `/api/v1/runs/${runId}/artifacts/download?path=model`);
    expect(zip.bytes.subarray(0, 2).toString()).toBe('PK');
  });

  it('registers the model with its lineage and builds its image once', async () => {
    const { body } = await viewer.expect(200, 'GET', '/api/v1/models/postcodes/versions/1');
    expect(body).toMatchObject({ version: 1, run_id: runId, dataset_digest: digest });
    const asked = await engineer.expect(202, 'POST', '/api/v1/models/postcodes/1/image');
    imageId = asked.body.id;
    const page = await engineer.until(
      '/api/v1/registry/images?model=postcodes',
      (list) => list.items[0]?.status !== 'BUILDING',
    );
    expect(page).toMatchObject({ total: 1, items: [{ id: imageId, status: 'READY', model_version: 1 }] });
  });

  it('serves it and recognises what it never saw', async () => {
    await engineer.expect(201, 'POST', '/api/v1/serving/endpoints', {
      json: { name: 'postcodes', image_id: imageId, replicas: 1, gpu: 0 },
    });
    await engineer.until(
      ENDPOINT,
      (endpoint) => endpoint.status === 'RUNNING' || endpoint.status === 'FAILED',
    );
    await engineer.expect(200, 'GET', `${ENDPOINT}/proxy/ping`);
    const instances = images().heldBack.map(({ bytes }) => ({ b64: bytes.toString('base64') }));
    const { body } = await viewer.expect(200, 'POST', `${ENDPOINT}/proxy/invocations`, {
      json: { instances },
    });
    expect(accuracy(images().heldBack, body.predictions)).toBeGreaterThanOrEqual(0.95);
  });

  it('runs no code out of hyperparameters', async () => {
    const wrong = await engineer.call('POST', EXPERIMENTS, {
      json: config({ hyperparameters: 'epochs: !!python/object/apply:os.getpid []\n' }),
    });
    expect(wrong.status).toBe(422);
  });

  it('cancels a second training, which reaches neither secrets nor database, and leaves no process of it', async () => {
    const { body } = await engineer.expect(202, 'POST', EXPERIMENTS, {
      json: config({ experiment_name: 'long', hyperparameters: 'epochs: 2000\nhidden: 1024\nlayers: 2\n' }),
    });
    const path = `${EXPERIMENTS}/${body.id}`;
    await engineer.until(
      path,
      (experiment) => experiment.status === 'RUNNING' || TERMINAL.has(experiment.status),
    );
    const [trainer] = stage()
      .workloads()
      .flatMap((folder) => trainersOf(folder))
      .filter((process) => process.experimentId === body.id);
    expect(await leaksTo(trainer?.pid as number, stage().hidden())).toEqual([]);
    await engineer.expect(202, 'POST', `${path}/cancel`);
    const ended = await engineer.until(path, (experiment) => TERMINAL.has(experiment.status));
    expect(ended.status).toBe('CANCELED');
    await viewerSees(0, `tr-${body.id}`);
    await engineer.expect(200, 'DELETE', path);
  });

  withModel();

  const viewerSees = async (count: number, prefix: string) => {
    const kept = () =>
      stage()
        .workloads()
        .flatMap((folder) => namesIn(folder).filter((name) => name.startsWith(prefix)));
    for (let left = 100; left > 0 && kept().length !== count; left -= 1) await sleep(100);
    expect(kept()).toHaveLength(count);
  };

  it('deletes everything in the order of who uses whom', async () => {
    expect((await engineer.call('DELETE', '/api/v1/models/postcodes')).status).toBe(409);
    await engineer.expect(200, 'DELETE', ENDPOINT);
    await engineer.until('/api/v1/serving/endpoints', (list) => list.total === 0);
    await engineer.expect(204, 'DELETE', '/api/v1/models/postcodes');
    const used = await engineer.call('DELETE', DATASET);
    expect([used.status, used.body.detail.users.length]).toEqual([409, 1]);
    await engineer.expect(200, 'DELETE', `${EXPERIMENTS}/${experimentId}`);
    await engineer.expect(204, 'DELETE', DATASET);
    for (const path of [
      ENDPOINT,
      DATASET,
      `${EXPERIMENTS}/${experimentId}`,
      '/api/v1/models/postcodes/versions/1',
    ])
      expect((await engineer.call('GET', path)).status).toBe(404);
    await viewerSees(0, 'ep-');
  });

  it('has audited every change once, and the trail fits its seals', async () => {
    const { rows } = await stage().owner.query<{ action: string; n: number }>(
      'select action, count(*)::int as n from audit_entry group by action',
    );
    const found = Object.fromEntries(rows.map(({ action, n }) => [action, n]));
    expect(found).toMatchObject({
      'tenant.create': stage().tenants,
      'dataset.create': 1,
      'dataset.file_add': 7,
      'dataset.upload': 2,
      'dataset.file_delete': 1,
      'dataset.delete': 1,
      'experiment.create': stage().trainings,
      'experiment.cancel': 1,
      'experiment.end': stage().trainings,
      'experiment.delete': stage().trainings,
      'model.register': 1,
      'image.build': 1,
      'image.ready': 1,
      'serving.create': 1,
      'serving.delete': 1,
      'serving.removed': 1,
      'model.delete': 1,
    });
    // How often it was frozen, and refused for the cut photograph, depends on how quickly the files came.
    expect(found['dataset.validate']).toBeGreaterThan(0);
    const { body } = await admin.expect(
      200,
      'GET',
      '/api/v1/system/audit?action=dataset.&tenant=post&page_size=1',
    );
    expect(body.total).toBe(12 + (found['dataset.freeze'] as number) + (found['dataset.validate'] as number));
    expect(await stage().verifyAudit()).toBe(0);
  });

  it('leaves no object that nobody owns and misses none', async () => {
    await collectOrphanedObjects(stage().owner);
    const { orphans, missing, unfinished } = await compareStore(stage().store(), stage().owner);
    expect({ orphans, missing, unfinished }).toEqual({ orphans: [], missing: [], unfinished: [] });
  });
}

const accuracy = (wanted: readonly LabelledImage[], predictions: ReadonlyArray<{ label: string }>): number =>
  wanted.filter(({ label }, index) => String(predictions[index]?.label) === label).length / wanted.length;
