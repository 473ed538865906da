import type { Answer } from '../../support/test-api.js';
import { DatasetKit } from '../../datasets/support/dataset-kit.js';
import type { SourceServer } from '../../../fakes/source-server/source-server.js';

/** Calls about syncs of one tenant's datasets, beside those about datasets. */
export class SyncKit extends DatasetKit {
  /** A dataset that is linked to a remote one. @returns its id */
  async linked(
    server: Pick<SourceServer, 'baseUrl'>,
    remoteDatasetId: string,
    name = remoteDatasetId,
  ): Promise<string> {
    const dataset = await this.draft(name);
    const source = await this.apart('POST', '/external-sources', {
      name: `Source of ${dataset}`,
      base_url: server.baseUrl,
    });
    await this.apart('PUT', `/datasets/${dataset}/source`, {
      source_id: source.id,
      remote_dataset_id: remoteDatasetId,
    });
    return dataset;
  }

  private async apart(method: string, path: string, json: unknown): Promise<Answer['body']> {
    const answer = await this.api.call(method, `/api/v1${path}`, {
      token: this.token,
      tenant: this.tenant.code,
      json,
    });
    if (answer.status >= 300) throw new Error(answer.text);
    return answer.body;
  }

  start(dataset: string): Promise<Answer> {
    return this.call('POST', `/${dataset}/syncs`);
  }

  /** The manifest of the dataset's source, compared with the dataset. */
  async preview(dataset: string): Promise<Answer> {
    const { body } = await this.call('GET', `/${dataset}/source`);
    const path = `/api/v1/external-sources/${body.source_id}/remote-datasets/${encodeURIComponent(body.remote_dataset_id)}/manifest?dataset_id=${dataset}`;
    return this.api.call('GET', path, { token: this.token, tenant: this.tenant.code });
  }

  cancel(dataset: string, sync: string): Promise<Answer> {
    return this.call('POST', `/${dataset}/syncs/${sync}:cancel`);
  }

  /** Starts a sync and waits for its end. */
  async sync(dataset: string, timeoutMs = 60_000): Promise<Answer['body']> {
    const started = await this.start(dataset);
    if (started.status !== 202) throw new Error(started.text);
    return this.syncEnded(dataset, started.body.id, timeoutMs);
  }

  syncEnded(dataset: string, sync: string, timeoutMs = 60_000): Promise<Answer['body']> {
    return this.until(
      `/${dataset}/syncs/${sync}`,
      ({ status }) => status !== 'queued' && status !== 'running',
      timeoutMs,
    );
  }

  /** Path and sha256 of all files of a dataset. */
  async files(dataset: string): Promise<Map<string, string>> {
    const rows = await this.query<{ path: string; sha256: string }>(
      'select f.path, f.sha256 from dataset_file f join dataset d on d.id = f.dataset_id where d.tenant_id = $1 and d.key = $2 order by f.path',
      [this.tenant.id, dataset],
    );
    return new Map(rows.map(({ path, sha256 }) => [path, sha256]));
  }

  /** Objects of the tenant that belong to no row, and rows without their object, once everything loose is collected. */
  async unaccounted(): Promise<string[]> {
    let found = await this.unaccountedNow();
    // A validation may begin meanwhile, which writes a manifest before the row that names it.
    for (let left = 3; found.length > 0 && left > 0; left -= 1) found = await this.unaccountedNow();
    return found;
  }

  private async isValidating(): Promise<boolean> {
    const active = await this.query('select 1 from dataset where tenant_id = $1 and validation_active', [
      this.tenant.id,
    ]);
    return active.length > 0;
  }

  private async unaccountedNow(): Promise<string[]> {
    // What a validation is about to write must not be taken away before it is there.
    for (let left = 120; left > 0 && (await this.isValidating()); left -= 1)
      await new Promise((resolve) => setTimeout(resolve, 250));
    await this.query('update orphaned_object set due_at = now() where tenant_id = $1', [this.tenant.id]);
    for (let left = 120; left > 0; left -= 1) {
      const [loose] = await this.query<{ n: number }>(
        'select count(*) as n from orphaned_object where tenant_id = $1',
        [this.tenant.id],
      );
      if (loose?.n === 0) break;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    const rows = await this.query<{ key: string }>(
      'select object_key as key from dataset_file where tenant_id = $1 union select manifest_key from dataset_version where tenant_id = $1',
      [this.tenant.id],
    );
    const known = new Set(rows.map(({ key }) => key));
    const there = new Set(await this.objectKeys());
    return [
      ...[...there].filter((key) => !known.has(key)),
      ...[...known].filter((key) => !there.has(key)).map((key) => `missing ${key}`),
    ];
  }
}
