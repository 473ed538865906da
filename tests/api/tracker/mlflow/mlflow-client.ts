import type { Answer, TestApi, TestTenant, TestUser } from '../../support/test-api.js';

export const ROOT = '/tracker/api/2.0';

/** A client of the protocol with the token of one person in one tenant. */
export class MlflowClient {
  constructor(
    private readonly api: TestApi,
    readonly token: string,
  ) {}

  /** @param role of a new account in the tenant */
  static async of(api: TestApi, tenant: TestTenant, role = 'ADMIN', readOnly = false): Promise<MlflowClient> {
    return MlflowClient.for(api, tenant, await api.addUser({ [tenant.code]: role }), readOnly);
  }

  static async for(
    api: TestApi,
    tenant: TestTenant,
    user: TestUser,
    readOnly = false,
  ): Promise<MlflowClient> {
    const json = { kind: 'tracker', tenant_code: tenant.code, name: 'client', read_only: readOnly };
    const { body } = await api.call('POST', '/users/me/tokens', { token: user.token, json });
    return new MlflowClient(api, body.token as string);
  }

  post(path: string, json: unknown = {}): Promise<Answer> {
    return this.send('POST', path, json);
  }

  send(method: string, path: string, json: unknown): Promise<Answer> {
    return this.api.call(method, `${ROOT}/mlflow/${path}`, { token: this.token, json });
  }

  get(path: string, query: Record<string, string> = {}): Promise<Answer> {
    const text = new URLSearchParams(query).toString();
    return this.api.call('GET', `${ROOT}/mlflow/${path}${text === '' ? '' : `?${text}`}`, {
      token: this.token,
    });
  }

  /** What MLflow's own pages ask for, below `/tracker` itself. */
  page(path: string): Promise<Answer> {
    return this.api.call('GET', `/tracker/${path}`, { token: this.token });
  }

  raw(path: string, body: string): Promise<Answer> {
    return this.api.call('POST', `${ROOT}/mlflow/${path}`, { token: this.token, body });
  }

  artifact(method: string, path: string, body?: Buffer | string): Promise<Answer> {
    return this.api.call(method, `${ROOT}/mlflow-artifacts/${path}`, {
      token: this.token,
      ...(body === undefined ? {} : { body }),
    });
  }

  async experiment(name: string): Promise<string> {
    return (await this.post('experiments/create', { name })).body.experiment_id as string;
  }

  async run(experiment_id: string, over: Record<string, unknown> = {}): Promise<string> {
    return (await this.post('runs/create', { experiment_id, start_time: 1000, ...over })).body.run.info
      .run_id as string;
  }

  put(runId: string, path: string, body: Buffer | string): Promise<Answer> {
    return this.artifact('PUT', `artifacts/${runId}/artifacts/${path}`, body);
  }
}

export const refusal = (status: number, error_code: string) => ({ status, body: { error_code } });
