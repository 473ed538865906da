import { defineEntity, p } from '@mikro-orm/core';
import type { PresetConfig } from './built-in-presets.js';

export const TrainingPresetSchema = defineEntity({
  name: 'TrainingPreset',
  tableName: 'training_preset',
  properties: {
    id: p.uuid().primary().defaultRaw('gen_random_uuid()'),
    tenantId: p.uuid(),
    /** Unique in the tenant. */
    name: p.text(),
    description: p.text().default(''),
    /** As it was given: what it leaves out gets the defaults of the day it is used. */
    config: p.json<PresetConfig>(),
    createdBy: p.uuid().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
    updatedAt: p.datetime().defaultRaw('now()'),
  },
});

/** A config that a tenant keeps to begin experiments with. */
export class TrainingPreset extends TrainingPresetSchema.class {}
TrainingPresetSchema.setClass(TrainingPreset);
