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

/** An export with the licence of its experiment. */
export type LicensedExport = ExportRow & { readonly licence: string | null };

/** Exports of trained models that are asked for after the training. */
export class ExportService {
  constructor(
    private readonly db: Database,
    private readonly catalog: Catalog,
  ) {}

  /** @throws AppError not_found; conflict in a wrong state; unprocessable_entity for what its framework does not write */
  request(caller: Caller, id: string, given: unknown): Promise<LicensedExport> {
    return this.db.inTenant(caller.tenant.tenantId, async (tx) => {
      const experiment = await findExperiment(tx, id);
      if (!experiment) throw notFound('Experiment');
      assertExportable(experiment.status);
      const framework = this.catalog.framework(experiment.framework);
      const { formats, errors } = checkExportRequest(given, framework);
      if (errors.length > 0) throw unprocessable(errors);
      return { ...(await requestExport(tx, caller.actor, id, formats)), licence: experiment.licence };
    });
  }

  /** Newest first. */
  list(caller: Caller, id: string): Promise<{ items: LicensedExport[]; total: number }> {
    return this.db.inTenant(caller.tenant.tenantId, async (tx) => {
      const experiment = await findExperiment(tx, id);
      if (!experiment) throw notFound('Experiment');
      const { items, total } = await listExports(tx, id, MAX_PLAIN_LIST);
      return { items: items.map((row) => ({ ...row, licence: experiment.licence })), total };
    });
  }

  cancel(caller: Caller, id: string): Promise<LicensedExport> {
    return this.db.inTenant(caller.tenant.tenantId, async (tx) => {
      const row = await cancelExport(tx, caller.actor, id);
      return { ...row, licence: (await findExperiment(tx, id))?.licence ?? null };
    });
  }
}
