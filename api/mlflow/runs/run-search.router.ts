import { parseFilter, parseOrder } from '../../../formats/mlflow/filter.js';
import { pageOffset } from '../../../formats/mlflow/page-token.js';
import type { ExperimentsService } from '../experiments/experiments.service.js';
import type { MlflowRoutes } from '../protocol/mlflow-routes.js';
import { experimentIdOf, viewOf } from '../protocol/wire.js';
import type { MlflowRunsService } from './mlflow-runs.service.js';
import { toMlflowRun } from './run.mapper.js';

export function registerRunSearch(
  routes: MlflowRoutes,
  runs: MlflowRunsService,
  experiments: ExperimentsService,
): void {
  routes.on('POST runs/search', async ({ caller, fields }) => {
    const { items, nextPageToken } = await runs.search(caller, {
      experiments: await experiments.resolve(
        caller,
        fields.texts('experiment_ids', 10_000).map(experimentIdOf),
      ),
      conditions: parseFilter(fields.text('filter')),
      order: fields.texts('order_by', 20).map(parseOrder),
      view: viewOf(fields.raw('run_view_type')),
      offset: pageOffset(fields.text('page_token')),
      limit: fields.limit('max_results', 1000, 50_000),
    });
    return {
      runs: items.map(toMlflowRun),
      ...(nextPageToken === null ? {} : { next_page_token: nextPageToken }),
    };
  });
}
