import { defineEntity, p } from '@mikro-orm/core';
import type { ExportedFormat, ExportStatus } from './export.types.js';

export const TrainingExportSchema = defineEntity({
  name: 'TrainingExport',
  tableName: 'training_export',
  properties: {
    id: p.uuid().primary().defaultRaw('gen_random_uuid()'),
    tenantId: p.uuid(),
    experimentId: p.uuid(),
    /** Run whose model is exported, and that keeps the result. */
    trackerRunId: p.text(),
    /** Wanted formats, at least one. */
    formats: p.json<readonly string[]>(),
    status: p.text().$type<ExportStatus>().default('QUEUED'),
    /** One line for people: what is under way or why it ended. */
    statusMessage: p.text().default(''),
    /** What became of each format; empty until its program has reported. */
    results: p.json<readonly ExportedFormat[]>().defaultRaw(`'[]'`),
    attempt: p.integer().default(1),
    /** When somebody asked for the end; the workflow follows it. */
    cancelAskedAt: p.datetime().nullable(),
    createdBy: p.uuid().nullable(),
    startedAt: p.datetime().nullable(),
    finishedAt: p.datetime().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
    updatedAt: p.datetime().defaultRaw('now()'),
  },
});

/** One export of a trained model into formats of other programs. */
export class TrainingExport extends TrainingExportSchema.class {}
TrainingExportSchema.setClass(TrainingExport);
