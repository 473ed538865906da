import { badRequest, notFound } from '../../../core/errors/app-error.js';
import { firstCharacters } from '../../../core/text/line-text.js';
import { RUN_STATUSES, type RunStatus } from '../../../models/tracker/run.types.js';
import { readTags } from '../../../models/tracker/run-batch.rules.js';
import type { RunChange } from '../../../models/tracker/runs/client-run.commands.js';
import { RUN_NAME_TAG } from '../../../models/tracker/runs/run-name.rules.js';
import type { Fields } from '../protocol/fields.js';
import type { MlflowRoutes } from '../protocol/mlflow-routes.js';
import { dateOfMs, experimentIdOf } from '../protocol/wire.js';
import type { MlflowRunsService } from './mlflow-runs.service.js';
import { toMlflowRun, toMlflowRunInfo } from './run.mapper.js';

export function registerRuns(routes: MlflowRoutes, runs: MlflowRunsService): void {
  routes.on('POST runs/create', async ({ caller, fields }) => {
    const tags = readTags(fields.pairs('tags'));
    const [user, name] = [fields.text('user_id'), fields.text('run_name')];
    const tagged = tags.find((tag) => tag.key === RUN_NAME_TAG)?.value ?? name;
    if (name !== '' && name !== tagged)
      throw badRequest(`The 'run_name' and the tag '${RUN_NAME_TAG}' are different; give one of them.`);
    const isNamed = user === '' || tags.some((tag) => tag.key === 'mlflow.user');
    const run = await runs.create(caller, {
      experimentId: experimentIdOf(fields.text('experiment_id') || '0'),
      name: firstCharacters(name, 500),
      startedAt: dateOfMs(fields.integer('start_time') ?? Date.now()),
      tags: isNamed ? tags : [...tags, { key: 'mlflow.user', value: user }],
    });
    return { run: toMlflowRun(run) };
  });
  routes.on('GET runs/get', async ({ caller, fields }) => ({
    run: toMlflowRun(await runs.read(caller, runIdOf(fields))),
  }));
  routes.on('POST runs/update', async ({ caller, fields }) => ({
    run_info: toMlflowRunInfo(await runs.update(caller, runIdOf(fields), changeOf(fields))),
  }));
  routes.on('POST runs/delete', async ({ caller, fields }) => {
    await runs.setLifecycle(caller, runIdOf(fields), 'deleted');
    return {};
  });
  routes.on('POST runs/restore', async ({ caller, fields }) => {
    await runs.setLifecycle(caller, runIdOf(fields), 'active');
    return {};
  });
  routes.on('POST runs/delete-tag', async ({ caller, fields }) => {
    await runs.deleteTag(caller, runIdOf(fields), fields.required('key'));
    return {};
  });
}

/** `run_uuid` is the older name of the same parameter. @throws AppError bad_request, not_found for what is no id */
export function runIdOf(fields: Fields): string {
  const given = fields.text('run_id') || fields.text('run_uuid');
  if (given === '') throw badRequest("Missing value for required parameter 'run_id'.");
  if (!/^[0-9a-f]{32}$/.test(given)) throw notFound('Run');
  return given;
}

/** Numbers of the protocol stand for the words. */
function statusOf(fields: Fields): RunStatus | undefined {
  const given = fields.raw('status');
  if (given === undefined || given === null) return undefined;
  const status = typeof given === 'number' ? RUN_STATUSES[given - 1] : given;
  if (!(RUN_STATUSES as readonly unknown[]).includes(status))
    throw badRequest(`Invalid value for parameter 'status': it is one of ${RUN_STATUSES.join(', ')}.`);
  return status as RunStatus;
}

function changeOf(fields: Fields): RunChange {
  const [status, ended, name] = [statusOf(fields), fields.integer('end_time'), fields.optional('run_name')];
  return {
    ...(status === undefined ? {} : { status }),
    ...(ended === null ? {} : { finishedAt: dateOfMs(ended) }),
    ...(name === null ? {} : { name: firstCharacters(name, 500) }),
  };
}
