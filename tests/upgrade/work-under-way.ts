import { createHash } from 'node:crypto';
import { zipOf } from '../builders/real-images.js';
import { tinyImages } from '../builders/tiny-images.js';
import type { SourceServer } from '../fakes/source-server/source-server.js';
import type { GeneratedDataset } from '../fakes/source-server/generated-dataset.js';
import type { PlatformClient } from '../setup/platform-client.js';

const EXPERIMENTS = '/api/v1/training/experiments';
const ENDPOINTS = '/api/v1/serving/endpoints';
const ENDPOINT = `${ENDPOINTS}/greys`;
/** It was stopped before the upgrade. */
const RESTING = `${ENDPOINTS}/resting`;
const CHUNK = 65_536;
const CHUNKS = 6;
/** Some seconds beyond the stop, and well beyond its first checkpoint. */
const EPOCHS = 500;
/** That of a training that had not begun yet. */
const QUEUED_EPOCHS = 20;
const TOKEN = 'a-token-of-the-tests';
export const TENANT = 'shop';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const training = (over: Record<string, unknown>) => ({
  json: { task: 'classification', framework: 'sklearn', model: 'mlp', dataset_id: 'grey', gpu: 0, ...over },
});
const hasEnded = ({ status }: { status: string }) => ['SUCCEEDED', 'FAILED', 'CANCELED'].includes(status);

/**
 * What a platform has at work when it is upgraded: an endpoint that serves and one that is stopped, two trainings that run and
 * one that is queued, an upload session and a sync.
 */
export class WorkUnderWay {
  /** Answers that must be the same after the upgrade, by path. */
  readonly answers = new Map<string, unknown>();
  private readonly upload = Buffer.alloc(CHUNK * CHUNKS, 'one line of a text\n');
  private readonly asked: string[] = [];
  private scores: string | null = null;
  private session = '';
  private readonly running: string[] = [];
  private queued = '';
  private syncPath = '';

  constructor(
    private client: PlatformClient,
    private readonly source: SourceServer,
    private readonly remote: GeneratedDataset,
  ) {}

  async begin(): Promise<void> {
    await this.client.expect(201, 'POST', '/api/v1/settings/tenants', {
      json: { code: TENANT, name: 'Shop' },
    });
    await this.freezeDataset();
    await this.serveModel();
    await this.beginUpload();
    await this.beginTrainings();
    await this.beginSync();
    for (const path of [
      '/api/v1/datasets/grey',
      '/api/v1/datasets/grey/files?page_size=100',
      '/api/v1/models/greys/versions/1',
      '/api/v1/registry/images?model=greys',
      '/api/v1/external-sources',
    ])
      this.answers.set(path, (await this.client.expect(200, 'GET', path)).body);
  }

  /** Asks for a last training, which begins after the upgrade. Throws where something came to its end before. */
  async requireUnderWay(): Promise<void> {
    const { client } = this;
    const statusOf = async (path: string) => (await client.expect(200, 'GET', path)).body.status;
    const hyperparameters = `epochs: ${QUEUED_EPOCHS}\nhidden: 16\n`;
    const { body } = await client.expect(202, 'POST', EXPERIMENTS, training({ hyperparameters }));
    this.queued = `${EXPERIMENTS}/${body.id}`;
    const found = [body.status];
    for (const path of [...this.running, this.syncPath, ENDPOINT, RESTING]) found.push(await statusOf(path));
    if (String(found) !== 'QUEUED,RUNNING,RUNNING,running,RUNNING,STOPPED')
      throw new Error(`trainings, sync and endpoints are ${found}`);
  }

  /** @param client signed in to the platform as it is now */
  async end(client: PlatformClient): Promise<void> {
    this.client = client;
    this.source.heal();
    const parts = {
      ...{ upload: this.endUpload(), sync: this.endSync(), resting: this.wakeResting() },
      ...{ first: this.endTraining(this.running[0] as string, EPOCHS) },
      ...{ second: this.endTraining(this.running[1] as string, EPOCHS) },
      queued: this.endTraining(this.queued, QUEUED_EPOCHS),
    };
    const startedAt = Date.now();
    for (const [name, part] of Object.entries(parts))
      void part.then(
        () =>
          process.stderr.write(`  ${name} ended after ${Math.round((Date.now() - startedAt) / 1000)} s\n`),
        () => undefined,
      );
    await Promise.all(Object.values(parts));
  }

  /** Throws where the endpoint is not up, or predicts otherwise than before. */
  async invoke(client: PlatformClient): Promise<void> {
    await client.until(ENDPOINT, ({ status }) => status === 'RUNNING');
    const instances = this.asked.map((b64) => ({ b64 }));
    const { body } = await client.expect(200, 'POST', `${ENDPOINT}/proxy/invocations`, {
      json: { instances },
    });
    const scores = JSON.stringify(body.predictions.map((each: { scores: unknown }) => each.scores));
    this.scores ??= scores;
    if (scores !== this.scores) throw new Error(`predicted ${this.scores}, and now ${scores}`);
  }

  private async freezeDataset(): Promise<void> {
    const images = await tinyImages(3, 20);
    this.asked.push(...images.slice(0, 9).map(({ bytes }) => Buffer.from(bytes).toString('base64')));
    await this.createDataset('grey');
    await this.client.expect(201, 'POST', '/api/v1/datasets/grey/archive', {
      file: { name: 'grey.zip', bytes: await zipOf(images) },
    });
    await this.client.until('/api/v1/datasets/grey', ({ status }) => status === 'FROZEN');
  }

  private createDataset(id: string) {
    return this.client.expect(201, 'POST', '/api/v1/datasets', { json: { id, name: id } });
  }

  private async serveModel(): Promise<void> {
    const { client } = this;
    const started = await client.expect(
      202,
      'POST',
      EXPERIMENTS,
      training({
        hyperparameters: 'epochs: 20\nhidden: 16\n',
        register_model: true,
        register_model_name: 'greys',
      }),
    );
    await this.succeeds(`${EXPERIMENTS}/${started.body.id}`);
    const image = await client.expect(202, 'POST', '/api/v1/models/greys/1/image');
    await client.until('/api/v1/registry/images?model=greys', ({ items }) => items[0]?.status === 'READY');
    await client.expect(201, 'POST', '/api/v1/serving/endpoints', {
      json: { name: 'greys', image_id: image.body.id, replicas: 1, gpu: 0 },
    });
    await this.invoke(client);
    await client.expect(201, 'POST', ENDPOINTS, {
      json: { name: 'resting', image_id: image.body.id, replicas: 1, gpu: 0 },
    });
    await client.until(RESTING, ({ status }) => status === 'RUNNING');
    await client.expect(200, 'POST', `${RESTING}/stop`);
    await client.until(RESTING, ({ status }) => status === 'STOPPED');
  }

  /** It must rest until somebody wants it. */
  private async wakeResting(): Promise<void> {
    const { client } = this;
    const { body } = await client.expect(200, 'GET', RESTING);
    if (body.status !== 'STOPPED') throw new Error(`the endpoint that was stopped is ${body.status}`);
    await client.expect(200, 'POST', `${RESTING}/start`);
    await client.until(RESTING, ({ status, ready_replicas }) => status === 'RUNNING' && ready_replicas === 1);
  }

  private async beginUpload(): Promise<void> {
    await this.createDataset('texts');
    const { body } = await this.client.expect(201, 'POST', '/api/v1/datasets/texts/uploads', {
      json: {
        filename: 'lines.txt',
        size: this.upload.length,
        sha256: sha256(this.upload),
        chunk_size: CHUNK,
      },
    });
    this.session = `/api/v1/datasets/texts/uploads/${body.upload_id}`;
    for (const index of [0, 2, 5]) await this.sendChunk(index);
  }

  private sendChunk(index: number) {
    const bytes = this.upload.subarray(index * CHUNK, (index + 1) * CHUNK);
    return this.client.expect(200, 'PUT', `${this.session}/chunks/${index}`, { bytes });
  }

  private async endUpload(): Promise<void> {
    const { client, session } = this;
    const { body } = await client.expect(200, 'GET', session);
    if (String(body.received) !== '0,2,5') throw new Error(`of the session are left ${body.received}`);
    for (const index of [1, 3, 4]) await this.sendChunk(index);
    await client.expect(202, 'POST', `${session}:complete`);
    const done = await client.until(session, ({ state }) => state === 'done' || state === 'failed');
    const [id] = done.result?.file_ids ?? [];
    const content = await client.expect(200, 'GET', `/api/v1/datasets/texts/files/${id}/content`);
    if (sha256(content.bytes) !== sha256(this.upload)) throw new Error('the upload has other bytes');
  }

  private async beginSync(): Promise<void> {
    const { client, source, remote } = this;
    source.fail({ on: 'file', fault: { kind: 'delay', ms: 1_000 } });
    const { body } = await client.expect(201, 'POST', '/api/v1/external-sources', {
      json: { name: 'Source', base_url: source.baseUrl, token: TOKEN },
    });
    await this.createDataset('followed');
    await client.expect(200, 'PUT', '/api/v1/datasets/followed/source', {
      json: { source_id: body.id, remote_dataset_id: remote.plan.id },
    });
    const sync = await client.expect(202, 'POST', '/api/v1/datasets/followed/syncs');
    this.syncPath = `/api/v1/datasets/followed/syncs/${sync.body.id}`;
    await client.until(this.syncPath, ({ progress }) => progress.files_done > 0);
  }

  private async endSync(): Promise<void> {
    const sync = await this.client.until(this.syncPath, ({ status }) => status !== 'running');
    if (sync.status !== 'done') throw new Error(`the sync ended as ${JSON.stringify(sync)}`);
    const files = await this.client.expect(200, 'GET', '/api/v1/datasets/followed/files?page_size=1');
    if (files.body.total !== this.remote.count) throw new Error(`the sync left ${files.body.total} files`);
  }

  private async beginTrainings(): Promise<void> {
    const hyperparameters = `epochs: ${EPOCHS}\nhidden: 256\nlayers: 2\n`;
    for (let number = 0; number < 2; number += 1) {
      const { body } = await this.client.expect(202, 'POST', EXPERIMENTS, training({ hyperparameters }));
      this.running.push(`${EXPERIMENTS}/${body.id}`);
    }
    for (const path of this.running)
      await this.client.until(path, ({ status, progress }) => status === 'RUNNING' && progress > 0.06);
  }

  private async endTraining(path: string, epochs: number): Promise<void> {
    await this.succeeds(path);
    const { body } = await this.client.expect(200, 'GET', `${path}/metrics?keys=train/loss&max_points=5000`);
    const steps = body.items[0].points.map(({ step }: { step: number }) => step);
    if (steps.length !== epochs || steps.at(-1) !== epochs)
      throw new Error(`the curve of ${path} has ${steps.length} of ${epochs} points`);
  }

  private async succeeds(path: string): Promise<void> {
    const ended = await this.client.until(path, hasEnded, 240_000);
    if (ended.status !== 'SUCCEEDED') throw new Error(`${path} ended as ${JSON.stringify(ended)}`);
  }
}
