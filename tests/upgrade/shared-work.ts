import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { NAMESPACE } from '../../cli/engines/temporal.js';
import type { SourceServer } from '../fakes/source-server/source-server.js';
import type { PlatformClient } from '../setup/platform-client.js';

/** Temporal gives a task to whoever asks first: with two workers hardly ever so often to the same one. */
const TRIES = 20;
const VALIDATION = 'datasetValidation';
const SYNC = 'datasetSync';
/** `PendingActivityState.STARTED` of Temporal's API. */
const STARTED = 2;

/** A sync that is under way. */
interface Sync {
  readonly path: string;
  readonly workflowId: string;
  readonly dataset: string;
}

/** Work of a platform that workers of two releases share. */
export class SharedWork {
  private made = 0;

  private constructor(
    private readonly client: PlatformClient,
    private readonly source: SourceServer,
    private readonly connection: Connection,
  ) {}

  static async open(client: PlatformClient, source: SourceServer, address: string): Promise<SharedWork> {
    return new SharedWork(client, source, await Connection.connect({ address }));
  }

  async close(): Promise<void> {
    await this.connection.close();
  }

  /** Has datasets validated until a worker has finished a step of one. @throws Error when it gets none */
  async untilValidatedBy(identity: string): Promise<void> {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const dataset = await this.createDataset();
      const [before] = await this.latest(VALIDATION);
      await this.client.expect(201, 'POST', `/api/v1/datasets/${dataset}/files`, {
        file: { name: 'a.csv', bytes: Buffer.from(`a,b\n1,${tries}\n`) },
      });
      await this.client.until(`/api/v1/datasets/${dataset}`, ({ status }) => status === 'FROZEN');
      const [latest] = await this.latest(VALIDATION);
      if (latest !== undefined && latest !== before && (await this.finishedBy(latest)).has(identity)) return;
    }
    throw new Error(`the worker ${identity} finished nothing of ${TRIES} validations`);
  }

  /** Begins syncs from a slow source until a worker copies the files of one. @throws Error when it gets none */
  async untilSyncedBy(identity: string): Promise<Sync> {
    const remote = this.source.add({ id: 'shared', files: 200 });
    this.source.fail({ on: 'file', fault: { kind: 'delay', ms: 1_000 } });
    const { body: sources } = await this.client.expect(200, 'GET', '/api/v1/external-sources');
    for (let tries = 0; tries < TRIES; tries += 1) {
      const dataset = await this.createDataset();
      await this.client.expect(200, 'PUT', `/api/v1/datasets/${dataset}/source`, {
        json: { source_id: sources.items[0].id, remote_dataset_id: remote.plan.id },
      });
      const { body } = await this.client.expect(202, 'POST', `/api/v1/datasets/${dataset}/syncs`);
      const path = `/api/v1/datasets/${dataset}/syncs/${body.id}`;
      await this.client.until(path, ({ progress }) => progress.files_done > 0);
      const [workflowId = ''] = await this.latest(SYNC);
      if ((await this.copierOf(workflowId)) === identity) return { path, workflowId, dataset };
      await this.client.expect(200, 'POST', `${path}:cancel`);
      await this.client.until(path, ({ status }) => status === 'canceled');
    }
    throw new Error(`the worker ${identity} copied nothing of ${TRIES} syncs`);
  }

  /** @throws Error when it is not brought to its end by another worker than the one that began it */
  async endSync({ path, workflowId, dataset }: Sync, begunBy: string): Promise<void> {
    this.source.heal();
    const ended = await this.client.until(path, ({ status }) => status !== 'running', 90_000);
    if (ended.status !== 'done') throw new Error(`the sync ended as ${JSON.stringify(ended)}`);
    const files = await this.client.expect(200, 'GET', `/api/v1/datasets/${dataset}/files?page_size=1`);
    if (files.body.total !== 200) throw new Error(`the sync left ${files.body.total} files`);
    const finishers = await this.finishedBy(workflowId, 'copySyncFiles');
    if (finishers.size === 0 || finishers.has(begunBy))
      throw new Error(`the files were copied by ${[...finishers]}, and ${begunBy} was killed`);
  }

  private async createDataset(): Promise<string> {
    const id = `shared-${++this.made}`;
    await this.client.expect(201, 'POST', '/api/v1/datasets', { json: { id, name: id } });
    return id;
  }

  /** Ids of workflows of a type, the newest first. */
  private async latest(type: string): Promise<string[]> {
    const client = new Client({ connection: this.connection, namespace: NAMESPACE });
    const found: Array<{ id: string; at: number }> = [];
    for await (const { workflowId, startTime } of client.workflow.list({ query: `WorkflowType = '${type}'` }))
      found.push({ id: workflowId, at: startTime.getTime() });
    return found.sort((a, b) => b.at - a.at).map(({ id }) => id);
  }

  /** The workers that have finished activities of a workflow. */
  private async finishedBy(workflowId: string, activity?: string): Promise<Set<string>> {
    const client = new Client({ connection: this.connection, namespace: NAMESPACE });
    const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
    const scheduled = new Map(
      (events ?? []).map((event) => [
        String(event.eventId),
        event.activityTaskScheduledEventAttributes?.activityType?.name,
      ]),
    );
    return new Set(
      (events ?? []).flatMap(({ activityTaskCompletedEventAttributes: done }) =>
        done && (activity === undefined || scheduled.get(String(done.scheduledEventId)) === activity)
          ? [done.identity as string]
          : [],
      ),
    );
  }

  /** The worker that copies files for a sync right now. */
  private async copierOf(workflowId: string): Promise<string | undefined> {
    const client = new Client({ connection: this.connection, namespace: NAMESPACE });
    for (let left = 50; left > 0; left -= 1, await sleep(100)) {
      const { raw } = await client.workflow.getHandle(workflowId).describe();
      const copying = raw.pendingActivities?.find(
        ({ activityType, state }) => activityType?.name === 'copySyncFiles' && state === STARTED,
      );
      if (copying) return copying.lastWorkerIdentity as string;
    }
    return undefined;
  }
}
