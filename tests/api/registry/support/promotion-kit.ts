import { randomUUID } from 'node:crypto';
import { until } from '../../serving/digit-model.js';
import type { TestApi, TestTenant } from '../../support/test-api.js';
import { registerDigits } from '../../serving/digit-model.js';

// biome-ignore lint/suspicious/noExplicitAny: an answer is whatever the server sent; the test says what it expects
type Body = any;

/** Models, promotions and records of one tenant, as a test needs them. */
export class PromotionKit {
  constructor(
    readonly api: TestApi,
    readonly tenant: TestTenant,
  ) {}

  call(method: string, path: string, options: Parameters<TestApi['call']>[2] = {}) {
    return this.api.call(method, `/api/v1${path}`, {
      token: this.api.admin.token,
      tenant: this.tenant.code,
      ...options,
    });
  }

  sql<R extends object>(text: string, params: readonly unknown[] = []): Promise<R[]> {
    return this.api.container.db.inPlatform((tx) => tx.query<R>(text, params));
  }

  /** The next version of a model, with files of its own. */
  version(model: string): Promise<number> {
    const { settings, db } = this.api.container;
    const files = new Map([['MLmodel', Buffer.from(`# ${randomUUID()}\nflavors: {}\n`)]]);
    return registerDigits(settings, db, this.tenant.id, model, files);
  }

  async promote(
    model: string,
    version: number,
    json: Body = {},
    token = this.api.admin.token,
  ): Promise<Body> {
    const asked = { to_version: version, reason: 'It is better.', ...json };
    return this.call('POST', `/models/${model}/${version}/promote`, { json: asked, token });
  }

  /** The promotion once it has this status. */
  reach(id: string, status: string): Promise<Body> {
    let last = '';
    return until(
      `promotion ${status}`,
      async () => {
        const { body } = await this.call('GET', `/promotions/${id}`);
        last = JSON.stringify(body);
        return body.status === status && body;
      },
      60_000,
      () => last,
    );
  }

  /** Asks for it, and waits until it is applied. */
  async apply(model: string, version: number, json: Body = {}): Promise<Body> {
    const { body } = await this.promote(model, version, json);
    return this.reach(body.id, 'APPLIED');
  }

  async production(model: string): Promise<number[]> {
    const { body } = await this.call('GET', `/models?q=${model}`);
    return body.items[0].stages.production;
  }

  feature(on: boolean) {
    return this.sql(
      "update tenant set features = jsonb_build_object('promotion_approval', $2::boolean) where id = $1",
      [this.tenant.id, on],
    );
  }

  /** A device has had this version for a day. */
  async install(model: string, version: number): Promise<void> {
    await this.sql(
      `with d as (
         insert into edge_device (tenant_id, key, updated_at)
         values ($1, 'holder-' || $2, now() - interval '1 day') returning id, updated_at)
       insert into edge_installed_model (tenant_id, device_id, model_id, version, installed_at)
       select $1, d.id, m.id, $3, d.updated_at from d, model m where m.tenant_id = $1 and m.name = $2`,
      [this.tenant.id, model, version],
    );
  }

  /** Records of a version as a device would send them, received a moment ago. */
  async records(
    model: string,
    version: number,
    records: ReadonlyArray<{
      label?: string;
      confidence?: number;
      latency?: number;
      prediction?: string;
      result?: object;
    }>,
  ): Promise<void> {
    const column = <T>(of: (record: (typeof records)[number]) => T | undefined) =>
      records.map((record) => of(record) ?? null);
    await this.sql(
      `with device as (
         insert into edge_device (tenant_id, key) values ($1, 'recorder')
         on conflict (tenant_id, key) do update set key = excluded.key returning number)
       insert into inference (tenant_id, device, received_at, kept_days, ts, model_name, version, prediction_id,
         label, confidence, latency_ms, result)
       select $1, device.number, now(), 0, now(), $2, $3, p, l, c, m, coalesce(d::jsonb, '{}')
       from unnest($4::text[], $5::text[], $6::float8[], $7::float8[], $8::text[]) as r (p, l, c, m, d), device`,
      [
        ...[this.tenant.id, model, version],
        ...[column((each) => each.prediction), column((each) => each.label)],
        ...[column((each) => each.confidence), column((each) => each.latency)],
        column((each) => each.result && JSON.stringify(each.result)),
      ],
    );
  }

  async feedback(model: string, labels: Readonly<Record<string, object>>): Promise<void> {
    await this.sql(
      `insert into feedback (tenant_id, model_name, prediction_id, label)
       select $1, $2, p, l::jsonb from unnest($3::text[], $4::text[]) as f (p, l)`,
      [
        ...[this.tenant.id, model, Object.keys(labels)],
        Object.values(labels).map((label) => JSON.stringify(label)),
      ],
    );
  }
}
