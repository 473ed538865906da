import { defineConfig } from '@mikro-orm/postgresql';
import { ENTITIES } from './entities.js';
import { StateGuard } from './state-guard.js';

/** Shared by the servers and the metadata tests. Entities are listed, never discovered; the schema is made by hand. */
export const ormOptions = defineConfig({
  entities: [...ENTITIES],
  subscribers: [new StateGuard()],
  dbName: 'visionops',
  discovery: { warnWhenNoEntities: false, checkDuplicateTableNames: true },
  ensureDatabase: false,
  allowGlobalContext: false,
  validateRequired: false,
  filters: {
    // Convenience on top of row-level security: covers find, count and native statements of the entity manager.
    tenant: {
      name: 'tenant',
      cond: (args: { tenantId?: string }, _type, em, _options, entityName) => {
        const properties: Record<string, unknown> =
          entityName === undefined ? {} : em.getMetadata().getByClassName(entityName).properties;
        return args.tenantId === undefined || !('tenantId' in properties) ? {} : { tenantId: args.tenantId };
      },
      default: true,
      args: false,
    },
  },
});
