import { defineEntity, p } from '@mikro-orm/core';

export const TrackerExperimentSchema = defineEntity({
  name: 'TrackerExperiment',
  tableName: 'tracker_experiment',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    tenantId: p.uuid(),
    project: p.text(),
    name: p.text(),
    lifecycle: p.text().$type<'active' | 'deleted'>().default('active'),
    createdBy: p.uuid().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
    updatedAt: p.datetime().defaultRaw('now()'),
  },
});

/** A name under which runs are grouped, within a project. */
export class TrackerExperiment extends TrackerExperimentSchema.class {}
TrackerExperimentSchema.setClass(TrackerExperiment);
