import type { Request, Response } from 'express';
import { badRequest } from '../../../core/errors/app-error.js';
import { firstCharacters } from '../../../core/text/line-text.js';
import { type ParsedBatch, parseBatch } from '../../../models/tracker/run-batch.rules.js';
import type { DatasetInput, RunModelLink } from '../../../models/tracker/runs/run-record.types.js';
import { MLFLOW_ROOTS } from '../../http/routing/mlflow-routes.js';
import type { RouteTable } from '../../http/routing/route-table.js';
import type { JobLoggingService } from '../../tracker/job-logging.service.js';
import type { Fields } from '../protocol/fields.js';
import type { MlflowRoutes } from '../protocol/mlflow-routes.js';
import { readJson } from '../protocol/read-json.js';
import { isPersonsCall, type TrackerCallers } from '../protocol/tracker-callers.js';
import type { MlflowRunsService } from './mlflow-runs.service.js';
import { runIdOf } from './runs.router.js';

/** Calls that say what happened in a run. */
export function registerRunLogging(routes: MlflowRoutes, runs: MlflowRunsService): void {
  routes.on('POST runs/log-metric', async ({ caller, fields }) => {
    const names = [
      'key',
      'value',
      'timestamp',
      'step',
      'model_id',
      'dataset_name',
      'dataset_digest',
    ] as const;
    const metric = Object.fromEntries(names.map((name) => [name, fields.raw(name) ?? undefined]));
    await runs.log(caller, batchOf(fields, { metrics: [metric] }));
    return {};
  });
  routes.on('POST runs/log-parameter', async ({ caller, fields }) => {
    await runs.log(caller, batchOf(fields, { params: [pairOf(fields)] }));
    return {};
  });
  routes.on('POST runs/set-tag', async ({ caller, fields }) => {
    await runs.log(caller, batchOf(fields, { tags: [pairOf(fields)] }));
    return {};
  });
  routes.on('POST runs/log-model', async ({ caller, fields }) => {
    await runs.recordModel(caller, runIdOf(fields), loggedModelOf(fields));
    return {};
  });
  routes.on(
    'POST runs/log-inputs',
    async ({ caller, fields }) => {
      const models = fields.objects('models').map((model) => linkOf(model, 'input'));
      await runs.link(caller, runIdOf(fields), fields.objects('datasets').map(datasetOf), models);
      return {};
    },
    true,
  );
  routes.on('POST runs/outputs', async ({ caller, fields }) => {
    const models = fields.objects('models').map((model) => linkOf(model, 'output'));
    await runs.link(caller, runIdOf(fields), [], models);
    return {};
  });
}

/** A batch comes from a person's client, or from a training job with the token of its attempt. */
export function registerLogBatch(
  routes: RouteTable,
  callers: TrackerCallers,
  runs: MlflowRunsService,
  jobs: JobLoggingService,
): void {
  const work = async (req: Request, res: Response) => {
    if (isPersonsCall(req)) {
      const caller = await callers.identify(req, 'DEVELOP');
      await runs.log(caller, parseBatch(await readJson(req, res)));
    } else {
      const claims = jobs.claims(req.headers.authorization);
      await jobs.logBatch(claims, await readJson(req, res));
    }
    res.json({});
  };
  for (const root of MLFLOW_ROOTS)
    routes.add({
      ...{ method: 'POST', pattern: `${root}/mlflow/runs/log-batch`, operationId: null },
      access: { kind: 'tracker or job' },
      handlers: [work],
    });
}

const batchOf = (fields: Fields, batch: object): ParsedBatch =>
  parseBatch({ run_id: runIdOf(fields), ...batch });
const pairOf = (fields: Fields) => ({ key: fields.required('key'), value: fields.text('value') });

/** What older clients say of a model they logged. @throws AppError bad_request */
function loggedModelOf(fields: Fields): object {
  const text = fields.required('model_json');
  try {
    const model = JSON.parse(text) as Record<string, unknown>;
    if (typeof model.artifact_path === 'string') return model;
  } catch {
    // Said below.
  }
  throw badRequest("Invalid value for parameter 'model_json': it is the JSON of a model.");
}

const MAX_SOURCE = 65_535;
const MAX_SCHEMA = 1_048_575;
const MAX_PROFILE = 16_777_215;

function datasetOf(input: Fields): DatasetInput {
  const dataset = input.object('dataset');
  const limited = (name: string, most: number): string => {
    const text = dataset.text(name);
    if (text.length > most)
      throw badRequest(`Invalid value for parameter '${name}': at most ${most} characters.`);
    return text;
  };
  for (const name of ['name', 'digest', 'source_type', 'source']) dataset.required(name);
  return {
    name: limited('name', 500),
    digest: limited('digest', 36),
    sourceType: limited('source_type', 36),
    source: limited('source', MAX_SOURCE),
    schema: dataset.has('schema') ? limited('schema', MAX_SCHEMA) : null,
    profile: dataset.has('profile') ? limited('profile', MAX_PROFILE) : null,
    tags: Object.fromEntries(input.pairs('tags').map(({ key, value }) => [key, firstCharacters(value, 500)])),
  };
}

const linkOf = (model: Fields, direction: 'input' | 'output'): RunModelLink => ({
  modelId: model.required('model_id'),
  direction,
  step: model.integer('step') ?? 0,
});
