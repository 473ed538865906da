import type { SourceServer } from '../../../fakes/source-server/source-server.js';
import { DATASET_FACTORY } from '../../datasets/support/dataset-factory.js';
import { DatasetKit } from '../../datasets/support/dataset-kit.js';
import { SyncKit } from '../../sources/support/sync-kit.js';
import { randomName, type ResourceFactory } from '../../support/resource-factory.js';
import type { CallOptions, TestApi, TestTenant, TestUser } from '../../support/test-api.js';

/** What is sent beside method and path; the rest is the smallest well-formed request of the description. */
export interface PreparedCall {
  /** Values of the path's parameters. */
  readonly values?: Readonly<Record<string, string>>;
  /** Fields of the JSON body beside the required ones. */
  readonly json?: Readonly<Record<string, unknown>>;
  /** In place of a body made from the description. */
  readonly raw?: Pick<CallOptions, 'body' | 'form' | 'headers'>;
  readonly query?: string;
  /** The answer waits for a worker, of which there is none here: the caller leaves once something is written. */
  readonly leaves?: boolean;
  /** What is left to end afterwards. */
  readonly end?: () => unknown;
  /** Who calls; by default the tenant's administrator, and a global one where the operation takes that. */
  readonly token?: string;
}

export type Prepare = (at: AuditPlace) => PreparedCall | Promise<PreparedCall>;

/** An operation that writes one audit row of this action. */
export interface AuditedCase {
  readonly action: string;
  readonly prepare: Prepare;
}

/** An operation that writes none, with the reason. */
export interface UnauditedCase {
  readonly because: string;
  readonly prepare: Prepare;
}

/** Where calls are prepared: each makes what it is about anew, so that none depends on another. */
export class AuditPlace {
  readonly datasets: DatasetKit;
  readonly syncs: SyncKit;

  constructor(
    readonly api: TestApi,
    readonly tenant: TestTenant,
    readonly user: TestUser,
    readonly source: SourceServer,
  ) {
    this.datasets = new DatasetKit(api, tenant, user.token);
    this.syncs = new SyncKit(api, tenant, user.token);
  }

  make(factory: ResourceFactory): Promise<Readonly<Record<string, string>>> {
    return factory.create({ api: this.api, tenant: this.tenant, user: this.user, canary: randomName() });
  }

  /** A change that no operation makes at once: what durable work would have done by now. */
  async set(sql: string, params: unknown[]): Promise<void> {
    if ((await this.api.container.db.inPlatform((tx) => tx.execute(sql, params))) === 0)
      throw new Error(`nothing to change: ${sql}`);
  }

  async call(
    method: string,
    path: string,
    json?: unknown,
    token = this.user.token,
  ): Promise<Record<string, string>> {
    const answer = await this.api.call(method, path, {
      token,
      tenant: this.tenant.code,
      ...(json === undefined ? {} : { json }),
    });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.body as Record<string, string>;
  }

  admin(method: string, path: string, json?: unknown): Promise<Record<string, string>> {
    return this.call(method, path, json, this.api.admin.token);
  }
}

export const onNew =
  (factory: ResourceFactory, json: Readonly<Record<string, unknown>> = {}): Prepare =>
  async (at) => ({ values: await at.make(factory), json });

/** As prepared, by a caller who does not wait for the worker. */
export const leaving =
  (prepare: Prepare): Prepare =>
  async (at) => ({ ...(await prepare(at)), leaves: true });

export const onDataset = (json: Readonly<Record<string, unknown>> = {}): Prepare =>
  onNew(DATASET_FACTORY, json);
