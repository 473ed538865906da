import { randomBytes } from 'node:crypto';
import { PlatformClient } from '../../setup/platform-client.js';

const BYTES = 256 * 1024;
const TRACKER = '/tracker/api/2.0';

/**
 * Registers so many versions of a model, of one file each, as MLflow's clients do.
 * @param person who may develop and register in the tenant
 * @returns their numbers
 */
export async function registerVersions(
  person: PlatformClient,
  tenant: string,
  name: string,
  count: number,
): Promise<number[]> {
  const register = await registrar(person, tenant, name);
  const numbers: number[] = [];
  while (numbers.length < count) numbers.push(await register());
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
  return async (): Promise<number> => {
    const { run } = await post('runs/create', { experiment_id, start_time: 1000 });
    const run_id = run.info.run_id as string;
    const bytes = Buffer.from(`flavors: {}\n# ${randomBytes(BYTES / 2).toString('hex')}\n`);
    const file = `${TRACKER}/mlflow-artifacts/artifacts/${run_id}/artifacts/model/MLmodel`;
    await tracker.expect(200, 'PUT', file, { bytes });
    const source = `mlflow-artifacts:/${run_id}/artifacts/model`;
    const { model_version } = await post('model-versions/create', { name, source, run_id });
    return Number(model_version.version);
  };
}
