import type { LabelledImage, RealImages } from '../../builders/real-images.js';
import { sha256, zipOf } from '../../builders/real-images.js';
import type { ClientAnswer } from '../../setup/platform-client.js';
import type { Killer } from './killer.js';
import type { PatientClient } from './patient-client.js';

const CHUNK = 65_536;
const EXPERIMENTS = '/api/v1/training/experiments';
const TERMINAL = new Set(['SUCCEEDED', 'FAILED', 'CANCELED']);
const ORDER = ['QUEUED', 'PREPARING', 'RUNNING', 'FINALIZING', 'SUCCEEDED', 'FAILED', 'CANCELED'];
const MAX_TRIES = 12;
export const EPOCHS = 25;

const unexpected = (what: string, answer: ClientAnswer): Error =>
  new Error(`${what} answered ${answer.status}: ${answer.bytes.toString().slice(0, 500)}`);

/** The main job once, on a platform whose parts die under it: each step is asked for until it is acknowledged. */
export class MainJob {
  private readonly dataset: string;
  private readonly trained: string[] = [];

  constructor(
    private readonly client: PatientClient,
    private readonly killer: Pick<Killer, 'hasKilledTrainer'>,
    private readonly images: RealImages,
    /** Part of every name; unique. */
    private readonly name: string,
  ) {
    this.dataset = `/api/v1/datasets/${name}`;
  }

  /** @param isTidy also cancels a second training and deletes everything in the end */
  async run(isTidy: boolean): Promise<void> {
    await this.createDataset();
    await this.uploadArchive();
    await this.uploadSingles();
    await this.uploadChunks();
    await this.untilFrozen();
    await this.train();
    await this.serve(await this.buildImage(await this.version()));
    if (isTidy) await this.cancelSecond();
    if (isTidy) await this.deleteAll();
    this.client.ledger.jobs += 1;
  }

  /** Asks until one of the statuses comes; `also` is as good once an answer was lost, as the change may have been made by it. */
  private ensure(
    change: string,
    method: string,
    path: string,
    what: Parameters<PatientClient['change']>[3],
    status: number,
    also: number | null = null,
  ): Promise<ClientAnswer> {
    return this.client.insist(change, async () => {
      const answer = await this.client.change(change, method, path, what);
      if (answer.status === status) return answer;
      if (answer.status === also && this.client.ledger.countOf(change).lost > 0) return answer;
      throw unexpected(`${method} ${path}`, answer);
    });
  }

  private async createDataset(): Promise<void> {
    await this.ensure(
      `dataset.create ${this.name}`,
      'POST',
      '/api/v1/datasets',
      { json: { id: this.name, name: this.name, source: 'upload', format: 'images' } },
      201,
      409,
    );
  }

  private get singles(): LabelledImage[] {
    return this.images.digits.filter((_, index) => index % 400 === 0);
  }

  private async uploadArchive(): Promise<void> {
    const files = this.images.digits.filter((_, index) => index % 400 !== 0);
    const bytes = await zipOf(files);
    const { body } = await this.ensure(
      `dataset.upload ${this.name} scans.zip`,
      'POST',
      `${this.dataset}/archive`,
      { file: { name: 'scans.zip', bytes } },
      201,
    );
    if (body.errors.length > 0 || body.created + body.skipped !== files.length)
      throw new Error(
        `the archive of ${files.length} files answered ${JSON.stringify({ ...body, file_ids: body.file_ids.length })}`,
      );
    this.client.ledger.uploaded(
      ...files.map((file) => ({ dataset: this.name, path: file.path, sha256: sha256(file.bytes) })),
    );
  }

  private async uploadSingles(): Promise<void> {
    for (const { path, bytes } of this.singles) {
      await this.ensure(
        `dataset.file_add ${this.name} ${path}`,
        'POST',
        `${this.dataset}/files`,
        { file: { name: path, bytes } },
        201,
      );
      this.client.ledger.uploaded({ dataset: this.name, path, sha256: sha256(bytes) });
    }
  }

  private async uploadChunks(): Promise<void> {
    const bytes = this.images.photographs[0]?.bytes as Buffer;
    const path = 'photographs/china.jpg';
    const opened = await this.ensure(
      `open ${this.name}`,
      'POST',
      `${this.dataset}/uploads`,
      { json: { filename: path, size: bytes.length, sha256: sha256(bytes), chunk_size: CHUNK } },
      201,
    );
    const session = `${this.dataset}/uploads/${opened.body.upload_id}`;
    const indexes = Array.from({ length: opened.body.chunk_count as number }, (_, index) => index);
    for (const index of indexes)
      await this.ensure(
        `chunk ${session} ${index}`,
        'PUT',
        `${session}/chunks/${index}`,
        { bytes: bytes.subarray(index * CHUNK, (index + 1) * CHUNK) },
        200,
      );
    const { body } = await this.client.read(session);
    for (const index of indexes)
      if (!body.received.includes(index))
        this.client.ledger.violate(`${session} has lost the acknowledged chunk ${index}`);
    await this.ensure(`dataset.upload ${this.name} ${path}`, 'POST', `${session}:complete`, {}, 202);
    const ended = await this.client.follow(
      session,
      (upload) => upload.state,
      (upload) => upload.state === 'done' || upload.state === 'failed',
    );
    if (ended.state !== 'done') throw new Error(`${session} ended as ${ended.state}: ${ended.error}`);
    this.client.ledger.uploaded({ dataset: this.name, path, sha256: sha256(bytes) });
  }

  private async untilFrozen(): Promise<void> {
    const dataset = await this.client.follow(
      this.dataset,
      (body) => `${body.status} ${JSON.stringify(body.validation?.checked ?? body.updated_at)}`,
      (body) => body.status === 'FROZEN' || body.status === 'FAILED',
    );
    if (dataset.status !== 'FROZEN')
      throw new Error(`${this.dataset} was not frozen: ${JSON.stringify(dataset.validation)}`);
  }

  /** A training that was killed twice fails with a reason, and is started again by its owner. */
  private async train(): Promise<void> {
    for (let number = 1; number <= MAX_TRIES; number += 1) {
      const id = await this.startTraining(`${this.name}-${number}`, {
        hyperparameters: `epochs: ${EPOCHS}\nhidden: 192\n`,
        register_model: true,
        register_model_name: this.name,
      });
      const ended = await this.untilEnded(id);
      if (ended.status === 'SUCCEEDED') return;
    }
    throw new Error(`${MAX_TRIES} trainings of ${this.name} were killed`);
  }

  /** Asks for one on the job's dataset until it is there. @returns its id */
  async startTraining(name: string, over: Record<string, unknown>): Promise<string> {
    const config = {
      task: 'classification',
      framework: 'sklearn',
      model: 'mlp',
      dataset_id: this.name,
      gpu: 0,
      classes: ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'],
      split: { mode: 'ratio', train: 0.8, val: 0.1, test: 0.1, seed: 3, stratify: true },
      experiment_name: name,
      ...over,
    };
    const id = await this.client.insist(`experiment ${name}`, async () => {
      const { body: list } = await this.client.read(`${EXPERIMENTS}?q=${name}&page_size=50`);
      const known = list.items.filter((item: { name: string }) => item.name === name);
      if (known.length > 1)
        this.client.ledger.violate(
          `${known.length} experiments are called ${name}, which was asked for until it was there`,
        );
      if (known.length > 0) return known[0].id as string;
      const answer = await this.client.change(`experiment.create ${name}`, 'POST', EXPERIMENTS, {
        json: config,
      });
      if (answer.status !== 202) throw unexpected(`POST ${EXPERIMENTS}`, answer);
      return answer.body.id as string;
    });
    this.trained.push(id);
    this.client.ledger.experiments.push(id);
    return id;
  }

  /** Follows it to its end; its states come in their order. */
  async untilEnded(id: string): Promise<{ status: string; status_message: string; attempt: number }> {
    const seen: string[] = [];
    const signature = (body: { status: string; progress: number; status_message: string }) => {
      if (seen.at(-1) !== body.status) seen.push(body.status);
      return `${body.status} ${body.progress} ${body.status_message}`;
    };
    const ended = await this.client.follow(`${EXPERIMENTS}/${id}`, signature, (body) =>
      TERMINAL.has(body.status),
    );
    seen.push(ended.status);
    const places = seen.map((status) => ORDER.indexOf(status));
    if (places.some((place, at) => at > 0 && place < (places[at - 1] as number)))
      this.client.ledger.violate(`experiment ${id} went ${seen.join(', ')}`);
    if (ended.status === 'FAILED') this.noteFailure(id, ended.status_message);
    return ended;
  }

  private noteFailure(id: string, message: string): void {
    const { ledger } = this.client;
    ledger.failures.push(message);
    if (message.trim() === '') ledger.violate(`experiment ${id} failed without a reason`);
    if (!this.killer.hasKilledTrainer(id))
      ledger.violate(`experiment ${id} failed although nobody killed its process: ${message}`);
  }

  private async version(): Promise<number> {
    const page = await this.client.follow(
      `/api/v1/models/${this.name}/versions`,
      (body) => String(body?.total),
      (body) => body.total > 0,
    );
    if (page.total !== 1)
      this.client.ledger.violate(
        `the model ${this.name} has ${page.total} versions of one finished training`,
      );
    return page.items[0].version as number;
  }

  private async buildImage(version: number): Promise<string> {
    const { body } = await this.ensure(
      `image.build ${this.name} ${version}`,
      'POST',
      `/api/v1/models/${this.name}/${version}/image`,
      {},
      202,
    );
    const page = await this.client.follow(
      `/api/v1/registry/images?model=${this.name}`,
      (list) => String(list.items[0]?.status),
      (list) => list.items[0]?.status === 'READY' || list.items[0]?.status === 'FAILED',
    );
    if (page.items[0].status !== 'READY')
      throw new Error(`the image of ${this.name} failed: ${page.items[0].status_message}`);
    return body.id as string;
  }

  private async serve(imageId: string): Promise<void> {
    const endpoint = `/api/v1/serving/endpoints/${this.name}`;
    await this.ensure(
      `serving.create ${this.name}`,
      'POST',
      '/api/v1/serving/endpoints',
      { json: { name: this.name, image_id: imageId, replicas: 1, gpu: 0 } },
      201,
      409,
    );
    const up = await this.client.follow(
      endpoint,
      (body) => `${body.status} ${body.status_message}`,
      (body) => body.status === 'RUNNING' || body.status === 'FAILED',
    );
    if (up.status !== 'RUNNING') throw new Error(`the endpoint ${this.name} failed: ${up.status_message}`);
    const asked = this.images.heldBack.slice(0, 50);
    const instances = asked.map(({ bytes }) => ({ b64: bytes.toString('base64') }));
    const { body } = await this.client.insist(`invocations of ${this.name}`, async () => {
      const answer = await this.client.change(
        `invocation ${this.name}`,
        'POST',
        `${endpoint}/proxy/invocations`,
        { json: { instances } },
      );
      if (answer.status !== 200) throw unexpected(`invocations of ${this.name}`, answer);
      return answer;
    });
    const right = asked.filter(({ label }, index) => String(body.predictions[index]?.label) === label).length;
    if (right / asked.length < 0.9)
      this.client.ledger.violate(`the model ${this.name} recognised ${right} of ${asked.length} images`);
  }

  private async cancelSecond(): Promise<void> {
    const id = await this.startTraining(`${this.name}-second`, {
      hyperparameters: 'epochs: 2000\nhidden: 1024\nlayers: 2\n',
    });
    await this.client.follow(
      `${EXPERIMENTS}/${id}`,
      (body) => `${body.status} ${body.progress}`,
      (body) => body.status === 'RUNNING' || TERMINAL.has(body.status),
    );
    const isAsked = await this.client.insist(`cancel ${id}`, async () => {
      const answer = await this.client.change(
        `experiment.cancel ${id}`,
        'POST',
        `${EXPERIMENTS}/${id}/cancel`,
      );
      if (answer.status === 202) return true;
      if (answer.status === 409) return false;
      throw unexpected(`cancel of ${id}`, answer);
    });
    const ended = await this.untilEnded(id);
    if (
      ended.status === 'SUCCEEDED' ||
      (ended.status === 'FAILED' && isAsked && !this.killer.hasKilledTrainer(id))
    )
      this.client.ledger.violate(
        `experiment ${id} ended as ${ended.status} after its cancel was acknowledged`,
      );
  }

  private async deleteAll(): Promise<void> {
    const endpoint = `/api/v1/serving/endpoints/${this.name}`;
    await this.ensure(`serving.delete ${this.name}`, 'DELETE', endpoint, {}, 200, 404);
    await this.client.follow(
      `/api/v1/serving/endpoints`,
      (body) => String(body.total),
      (body) => !body.items.some((item: { name: string }) => item.name === this.name),
    );
    await this.ensure(`model.delete ${this.name}`, 'DELETE', `/api/v1/models/${this.name}`, {}, 204, 404);
    for (const id of this.trained)
      await this.ensure(`experiment.delete ${id}`, 'DELETE', `${EXPERIMENTS}/${id}`, {}, 200, 404);
    this.client.ledger.forgetDataset(this.name);
    await this.ensure(`dataset.delete ${this.name}`, 'DELETE', this.dataset, {}, 204, 404);
  }
}
