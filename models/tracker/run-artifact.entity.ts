import { defineEntity, p } from '@mikro-orm/core';

export const RunArtifactSchema = defineEntity({
  name: 'RunArtifact',
  tableName: 'run_artifact',
  properties: {
    /** The run's short id. */
    run: p.bigint('number').primary(),
    /** Relative to the run's root; sorted by bytes. */
    path: p.text().primary(),
    sizeBytes: p.bigint('number'),
    /** Hex digest of the bytes. */
    sha256: p.text(),
    objectKey: p.text(),
    tenantId: p.uuid(),
    createdAt: p.datetime().defaultRaw('now()'),
    updatedAt: p.datetime().defaultRaw('now()'),
  },
});

/** A file below the artifact root of a run. */
export class RunArtifact extends RunArtifactSchema.class {}
RunArtifactSchema.setClass(RunArtifact);
