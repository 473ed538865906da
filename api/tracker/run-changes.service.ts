import { notFound } from '../../core/errors/app-error.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { StateWaits } from '../../models/orm/state-waits.js';
import type { TenantTransaction } from '../../models/orm/transaction.js';
import { listVersionsOfRuns, type VersionOfRun } from '../../models/registry/version.queries.js';
import { compareRuns, type RunComparison } from '../../models/tracker/compare-runs.rules.js';
import { createTrackerExperiment } from '../../models/tracker/create-experiment.commands.js';
import { deleteOneRun, deleteTrackerExperiment } from '../../models/tracker/removal/delete-runs.commands.js';
import { findRunDetail } from '../../models/tracker/run.queries.js';
import type { RunDetail } from '../../models/tracker/run.types.js';
import type { TrackerExperiment } from '../../models/tracker/tracker-experiment.entity.js';
import { terminateRun } from '../../models/training/terminate-run.commands.js';
import type { Caller } from '../http/routing/request-context.js';

interface DetailWithVersions {
  readonly run: RunDetail;
  readonly versions: readonly VersionOfRun[];
}

/** What people change about runs and experiments of the tracker. */
export class RunChangesService {
  constructor(
    private readonly db: Database,
    private readonly states: StateWaits,
  ) {}

  /** @throws AppError not_found when one of them is not there */
  compare(
    caller: Caller,
    runIds: readonly string[],
  ): Promise<{ comparison: RunComparison; versions: readonly VersionOfRun[] }> {
    return this.db.inTenant(caller.tenant.tenantId, async (tx) => {
      const runs: RunDetail[] = [];
      for (const runId of new Set(runIds)) runs.push((await detail(tx, runId)).run);
      return { comparison: compareRuns(runs), versions: await listVersionsOfRuns(tx, runIds) };
    });
  }

  createExperiment(caller: Caller, project: string, name: string): Promise<TrackerExperiment> {
    return this.db.inTenant(caller.tenant.tenantId, (tx) =>
      createTrackerExperiment(tx, caller.actor, project, name),
    );
  }

  deleteExperiment(caller: Caller, id: string): Promise<void> {
    return this.db.inTenant(caller.tenant.tenantId, (tx) =>
      deleteTrackerExperiment(tx, caller.actor, Number(id)),
    );
  }

  deleteRun(caller: Caller, runId: string): Promise<void> {
    return this.db.inTenant(caller.tenant.tenantId, (tx) => deleteOneRun(tx, caller.actor, runId));
  }

  /** The run once it has ended, or as it is after 5 s: a training lets go of its job first. */
  async terminate(caller: Caller, runId: string): Promise<DetailWithVersions> {
    const { tenantId } = caller.tenant;
    await this.db.inTenant(tenantId, (tx) => terminateRun(tx, caller.actor, runId));
    return this.states.until(
      runId,
      () => this.db.inTenant(tenantId, (tx) => detail(tx, runId)),
      ({ run }) => run.status !== 'RUNNING' && run.status !== 'SCHEDULED',
    );
  }
}

async function detail(tx: TenantTransaction, runId: string): Promise<DetailWithVersions> {
  const run = await findRunDetail(tx, runId);
  if (!run) throw notFound('Run');
  return { run, versions: await listVersionsOfRuns(tx, [runId]) };
}
