import { notFound, unprocessable } from '../../../core/errors/app-error.js';
import { MAX_PLAIN_LIST } from '../../../core/paging/page.js';
import type { Database } from '../../../models/orm/in-tenant.js';
import type { Catalog } from '../../../models/training/catalog/catalog.js';
import { findExperiment } from '../../../models/training/experiment.queries.js';
import { assertExportable } from '../../../models/training/export/export-state.rules.js';
import { checkExportRequest } from '../../../models/training/export/check-export.js';
import { cancelExport, requestExport } from '../../../models/training/export/export.commands.js';
import { type ExportRow, listExports } from '../../../models/training/export/export.queries.js';
import type { Caller } from '../../http/routing/request-context.js';

/** Exports of trained models that are asked for after the training. */
export class ExportService {
  constructor(
    private readonly db: Database,
    private readonly catalog: Catalog,
  ) {}

  /** @throws AppError not_found; conflict in a wrong state; unprocessable_entity for what its framework does not write */
  request(caller: Caller, id: string, given: unknown): Promise<ExportRow> {
    return this.db.inTenant(caller.tenant.tenantId, async (tx) => {
      const experiment = await findExperiment(tx, id);
      if (!experiment) throw notFound('Experiment');
      assertExportable(experiment.status);
      const framework = this.catalog.framework(experiment.framework);
      const { formats, errors } = checkExportRequest(given, framework);
      if (errors.length > 0) throw unprocessable(errors);
      return requestExport(tx, caller.actor, id, formats);
    });
  }

  /** Newest first. */
  list(caller: Caller, id: string): Promise<{ items: ExportRow[]; total: number }> {
    return this.db.inTenant(caller.tenant.tenantId, async (tx) => {
      if (!(await findExperiment(tx, id))) throw notFound('Experiment');
      return listExports(tx, id, MAX_PLAIN_LIST);
    });
  }

  cancel(caller: Caller, id: string): Promise<ExportRow> {
    return this.db.inTenant(caller.tenant.tenantId, (tx) => cancelExport(tx, caller.actor, id));
  }
}
