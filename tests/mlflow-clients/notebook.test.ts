import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { PlatformClient } from '../setup/platform-client.js';
import { ADMIN, SupervisedPlatform } from '../setup/supervised-platform.js';
import { NOTEBOOK, pythonOf, run, testedVersions } from './support/client-environment.js';

jest.setTimeout(400_000);

interface Summary {
  readonly version: string;
  readonly experiment_id: string;
  readonly model: string;
  readonly run_id: string;
}

describe("a notebook with MLflow's own client", () => {
  let platform: SupervisedPlatform;
  let person: PlatformClient;
  let folder: string;
  let token: string;
  let readOnly: string;

  beforeAll(async () => {
    platform = await SupervisedPlatform.create();
    await platform.start();
    person = await PlatformClient.signIn(platform.baseUrl, ADMIN.email, ADMIN.password, 'demo');
    folder = mkdtempSync(join(tmpdir(), 'visionops-notebook-'));
    const tokenOf = async (read_only: boolean) => {
      const json = { kind: 'tracker', tenant_code: 'demo', name: 'notebook', read_only };
      return (await person.expect(201, 'POST', '/users/me/tokens', { json })).body.token as string;
    };
    [token, readOnly] = [await tokenOf(false), await tokenOf(true)];
  }, 180_000);
  afterAll(async () => {
    await platform?.destroy();
    rmSync(folder, { recursive: true, force: true });
  }, 120_000);

  const python = (version: string, sent: string, args: readonly string[]) =>
    run(
      pythonOf(version),
      args,
      {
        PATH: process.env.PATH,
        HOME: folder,
        MLFLOW_TRACKING_URI: `${platform.baseUrl}/tracker`,
        MLFLOW_TRACKING_TOKEN: sent,
        MLFLOW_DISABLE_TELEMETRY: 'true',
        MLFLOW_HTTP_REQUEST_MAX_RETRIES: '2',
        MPLBACKEND: 'agg',
      },
      folder,
    );

  it.each(testedVersions())('%s tracks, registers and loads back', async (version) => {
    const file = join(folder, `${version}.json`);
    const { code, output } = await python(version, token, [NOTEBOOK, file]);
    expect({ code, output: code === 0 ? '' : output.slice(-4000) }).toEqual({ code: 0, output: '' });
    const summary = JSON.parse(readFileSync(file, 'utf8')) as Summary;
    expect(summary.version).toBe(version);

    const path = `/api/v1/models/${summary.model}`;
    const { body: staged } = await person.expect(200, 'GET', `${path}/versions/1`);
    expect(staged).toMatchObject({ stage: 'Staging', run_id: summary.run_id });
    const { body: trained } = await person.expect(200, 'GET', `/api/v1/runs/${summary.run_id}`);
    expect(trained).toMatchObject({
      experiment_id: summary.experiment_id,
      project: 'clients',
      status: 'FINISHED',
      registered_versions: [
        { name: summary.model, version: 1 },
        { name: summary.model, version: 2 },
      ],
    });
  });

  it("runs the guide's cells", async () => {
    const [version = ''] = testedVersions();
    const guide = readFileSync('docs/guide/mlflow-clients.md', 'utf8');
    const cells = [...guide.matchAll(/^```python\n([\s\S]*?)^```$/gm)].map(([, cell]) => cell as string);
    expect(cells.length).toBeGreaterThan(2);
    const { code, output } = await python(version, token, ['-c', cells.join('\n')]);
    expect({ code, output: code === 0 ? '' : output.slice(-4000) }).toEqual({ code: 0, output: '' });
    const { body } = await person.expect(200, 'GET', '/api/v1/models/digits-notebook/versions');
    expect(body.items).toMatchObject([{ version: 1, stage: 'Staging' }]);
  });

  it('only reads with a token that only reads', async () => {
    const [version = ''] = testedVersions();
    const script = [
      'import mlflow',
      'client = mlflow.MlflowClient()',
      'print("found", len(client.search_experiments()) > 0)',
      'try: client.create_experiment("mine")',
      'except mlflow.exceptions.MlflowException as error: print(error.error_code)',
    ].join('\n');
    const { output } = await python(version, readOnly, ['-c', script]);
    expect(output).toContain('found True');
    expect(output).toContain('PERMISSION_DENIED');
  });

  it("shows the client a model that the platform's own interface registered, and its stage", async () => {
    const [version = ''] = testedVersions();
    const name = `registered-${version}`;
    const logged = await python(version, token, ['-c', LOGGING]);
    const runId = /^run ([0-9a-f]{32})$/m.exec(logged.output)?.[1];
    expect({ runId, output: logged.output }).toMatchObject({ runId: expect.any(String) });
    const json = { model_name: name };
    await person.expect(201, 'POST', `/api/v1/runs/${runId}/register`, { json });
    await person.expect(200, 'POST', `/api/v1/models/${name}/1/stage`, { json: { stage: 'Staging' } });
    const { code, output } = await python(version, readOnly, ['-c', LOADING, name]);
    expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('predicts [0, 1]') });
    expect(output).toContain(`Staging ${runId} READY`);
  });
});

/** A model that a notebook keeps among the files of its run, and registers nowhere. */
const LOGGING = `
import mlflow
from sklearn.linear_model import LogisticRegression

classifier = LogisticRegression().fit([[0.0], [1.0]], [0, 1])
with mlflow.start_run(run_name="kept") as run:
    mlflow.sklearn.save_model(classifier, "kept", serialization_format="cloudpickle", pip_requirements=["scikit-learn"])
    mlflow.log_artifacts("kept", "model")
print("run", run.info.run_id)
`;

const LOADING = `
import sys
import mlflow

version = mlflow.MlflowClient().get_model_version(sys.argv[1], "1")
print(version.current_stage, version.run_id, version.status)
for uri in (f"models:/{version.name}/1", f"models:/{version.name}/Staging"):
    print("predicts", mlflow.pyfunc.load_model(uri).predict([[0.0], [1.0]]).tolist())
`;
