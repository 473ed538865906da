import { unprocessable } from '../../core/errors/app-error.js';
import type { Database } from '../../models/orm/in-tenant.js';
import { isTask } from '../../models/training/catalog/catalog.js';
import { checkPreset } from '../../models/training/config/check-preset.js';
import { BUILT_IN_PRESETS, type Preset } from '../../models/training/presets/built-in-presets.js';
import { createPreset, deletePreset } from '../../models/training/presets/preset.commands.js';
import { findPreset, listPresets } from '../../models/training/presets/preset.queries.js';
import type { Caller } from '../http/routing/request-context.js';
import type { CatalogService } from './catalog.service.js';

/** Configs to begin with: those of the installation, then the tenant's own. */
export class PresetsService {
  constructor(
    private readonly db: Database,
    private readonly catalog: CatalogService,
  ) {}

  async list(caller: Caller): Promise<{ items: Preset[]; total: number }> {
    const own = await this.db.inTenant(caller.tenant.tenantId, listPresets);
    return {
      items: [...BUILT_IN_PRESETS, ...own.items],
      total: BUILT_IN_PRESETS.length + own.total,
    };
  }

  /** Null when there is none of this id. */
  async find(caller: Caller, id: string): Promise<Preset | null> {
    const known = BUILT_IN_PRESETS.find((preset) => preset.id === id);
    return known ?? this.db.inTenant(caller.tenant.tenantId, (tx) => findPreset(tx, id));
  }

  /** @throws AppError unprocessable_entity naming every field that is wrong; conflict for a name that is taken */
  async create(caller: Caller, name: string, description: string, given: unknown): Promise<Preset> {
    const { config, errors } = checkPreset(given, {
      frameworksOf: (task) => (isTask(task) ? this.catalog.catalog.frameworksFor(task) : []),
    });
    if (errors.length > 0) throw unprocessable(errors);
    return this.db.inTenant(caller.tenant.tenantId, (tx) =>
      createPreset(tx, caller.actor, { name, description, config }),
    );
  }

  async delete(caller: Caller, id: string): Promise<void> {
    await this.db.inTenant(caller.tenant.tenantId, (tx) => deletePreset(tx, caller.actor, id));
  }
}
