import { defineEntity, p } from '@mikro-orm/core';

export const ActivityEffectSchema = defineEntity({
  name: 'ActivityEffect',
  tableName: 'activity_effect',
  properties: {
    workflowId: p.text().primary(),
    activityId: p.text().primary(),
    tenantId: p.uuid().nullable(),
    /** What the effect answered; null until its end. */
    result: p.json<unknown>().nullable(),
    at: p.datetime().defaultRaw('clock_timestamp()'),
  },
});

export class ActivityEffect extends ActivityEffectSchema.class {}
ActivityEffectSchema.setClass(ActivityEffect);
