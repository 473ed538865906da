import { randomBytes, randomUUID } from 'node:crypto';
import { asTenantId, type TenantId } from '../../../../core/security/ids.js';
import type { Database } from '../../../../models/orm/in-tenant.js';
import type { RegisteredRun } from '../../../../models/registry/model.types.js';

/** A tenant of its own for one test. */
export async function newTenant(
  db: Database,
  code = `t-${randomBytes(5).toString('hex')}`,
): Promise<TenantId> {
  const rows = await db.inPlatform((tx) =>
    tx.query<{ id: string }>('insert into tenant (code, name) values ($1, $1) returning id', [code]),
  );
  return asTenantId((rows[0] as { id: string }).id);
}

/** A finished run that logged a model of two files, 30 bytes together. */
export function runWithModel(over: Partial<RegisteredRun> = {}): RegisteredRun {
  const file = (path: string, sizeBytes: number) => ({
    path: `model/${path}`,
    sizeBytes,
    sha256: randomBytes(32).toString('hex'),
    objectKey: `t/x/runs/${randomUUID()}`,
  });
  return {
    runId: randomBytes(16).toString('hex'),
    experimentId: '7',
    trainingExperimentId: null,
    datasetKey: null,
    datasetDigest: null,
    task: 'classification',
    framework: 'sklearn',
    licence: null,
    base: null,
    metrics: { accuracy: 0.97 },
    modelFiles: [file('model.skops', 20), file('MLmodel', 10)],
    ...over,
  };
}
