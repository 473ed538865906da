import { defineEntity, p } from '@mikro-orm/core';
import type { LoggedModelStatus } from './logged-model.types.js';

export const LoggedModelSchema = defineEntity({
  name: 'LoggedModel',
  tableName: 'logged_model',
  properties: {
    /** The short id that other rows carry; it never leaves the platform. */
    id: p.bigint('number').primary().autoincrement(),
    tenantId: p.uuid(),
    /** `m-` and 32 hex digits. */
    modelId: p.text(),
    /** Id of the tracker experiment. */
    experiment: p.bigint('number'),
    /** Null for a model that was logged outside of runs. */
    sourceRunId: p.text().nullable(),
    name: p.text(),
    modelType: p.text().nullable(),
    status: p.text().$type<LoggedModelStatus>().default('PENDING'),
    lifecycle: p.text().$type<'active' | 'deleted'>().default('active'),
    params: p.json<Readonly<Record<string, string>>>().defaultRaw(`'{}'`),
    tags: p.json<Readonly<Record<string, string>>>().defaultRaw(`'{}'`),
    createdBy: p.uuid().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
    updatedAt: p.datetime().defaultRaw('now()'),
  },
});

/** A model with files of its own, as clients log it beside a run. */
export class LoggedModel extends LoggedModelSchema.class {}
LoggedModelSchema.setClass(LoggedModel);
