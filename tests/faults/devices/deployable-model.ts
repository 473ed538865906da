import { createHash, randomBytes } from 'node:crypto';
import { PlatformClient } from '../../setup/platform-client.js';

export interface DeployableModel {
  readonly name: string;
  readonly version: number;
  /** Of its one file. */
  readonly sha256: string;
}

const BYTES = 256 * 1024;
const TRACKER = '/tracker/api/2.0';

/** Registers a model of one file, as MLflow's clients do. @param person who may develop and register in the tenant */
export async function registerModel(
  person: PlatformClient,
  tenant: string,
  name: string,
): Promise<DeployableModel> {
  const register = await registrar(person, tenant, name);
  return register();
}

/** The same for so many versions. @returns their numbers */
export async function registerVersions(
  person: PlatformClient,
  tenant: string,
  name: string,
  count: number,
): Promise<number[]> {
  const register = await registrar(person, tenant, name);
  const numbers: number[] = [];
  while (numbers.length < count) numbers.push((await register()).version);
  return numbers;
}

/** @returns what adds a version to the model */
async function registrar(person: PlatformClient, tenant: string, name: string) {
  const json = { kind: 'tracker', tenant_code: tenant, name };
  const { body } = await person.expect(201, 'POST', '/users/me/tokens', { json });
  const tracker = new PlatformClient(person.baseUrl, body.token as string);
  const post = async (path: string, what: object) =>
    (await tracker.expect(200, 'POST', `${TRACKER}/mlflow/${path}`, { json: what })).body;
  const { experiment_id } = await post('experiments/create', { name });
  await post('registered-models/create', { name });
  return async (): Promise<DeployableModel> => {
    const { run } = await post('runs/create', { experiment_id, start_time: 1000 });
    const run_id = run.info.run_id as string;
    const bytes = Buffer.from(`flavors: {}\n# ${randomBytes(BYTES / 2).toString('hex')}\n`);
    const file = `${TRACKER}/mlflow-artifacts/artifacts/${run_id}/artifacts/model/MLmodel`;
    await tracker.expect(200, 'PUT', file, { bytes });
    const source = `mlflow-artifacts:/${run_id}/artifacts/model`;
    const { model_version } = await post('model-versions/create', { name, source, run_id });
    const version = Number(model_version.version);
    return { name, version, sha256: createHash('sha256').update(bytes).digest('hex') };
  };
}
