import type { Answer, CallOptions, TestApi, TestTenant } from '../../support/test-api.js';

/** A device as a test plays it. */
export interface PlayedDevice {
  readonly id: string;
  readonly token: string;
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
}

let made = 0;

/** Calls about the devices of one tenant, and those that the devices make. */
export class EdgeKit {
  constructor(
    readonly api: TestApi,
    readonly tenant: TestTenant,
    private readonly token = api.admin.token,
  ) {}

  call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    return this.api.call(method, `/api/v1/edge${path}`, {
      token: this.token,
      tenant: this.tenant.code,
      ...options,
    });
  }

  asDevice(id: string, token: string): PlayedDevice {
    return {
      ...{ id, token },
      call: (method, path, options = {}) =>
        this.api.call(method, `/api/v1/edge${path}`, {
          ...options,
          headers: { 'x-edge-token': token, ...options.headers },
        }),
    };
  }

  async device(json: Readonly<Record<string, unknown>> = {}): Promise<PlayedDevice> {
    made += 1;
    const answer = await this.call('POST', '/devices', { json: { id: `device-${made}`, ...json } });
    if (answer.status !== 201) throw new Error(answer.text);
    return this.asDevice(answer.body.id, answer.body.token);
  }

  async read(id: string): Promise<Answer['body']> {
    return (await this.call('GET', `/devices/${id}`)).body;
  }

  rows<T extends object>(sql: string, params: readonly unknown[] = []): Promise<T[]> {
    return this.api.container.db.inPlatform((tx) => tx.query<T>(sql, params));
  }

  run(sql: string, params: readonly unknown[] = []): Promise<number> {
    return this.api.container.db.inPlatform((tx) => tx.execute(sql, params));
  }
}

/** Asks again until it holds; a change is in force within a second. */
export async function within(ms: number, holds: () => Promise<boolean>): Promise<boolean> {
  for (const until = Date.now() + ms; ; await new Promise((resolve) => setTimeout(resolve, 20))) {
    if (await holds()) return true;
    if (Date.now() > until) return false;
  }
}
