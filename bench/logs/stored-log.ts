import { setTimeout as sleep } from 'node:timers/promises';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOutcomeActivities } from '../../activities/training/outcome.activities.js';
import { copyOfAttempt } from '../../activities/training/training-log.js';
import { createLogger } from '../../core/logging/logger.js';
import { asTenantId } from '../../core/security/ids.js';
import type { AttemptRef } from '../../models/training/experiment.types.js';
import type { ManagedObjectStore } from '../../adapters/minio/minio-object-store.js';
import { Database } from '../../models/orm/in-tenant.js';
import { MockActivityEnvironment } from '@temporalio/testing';
import { printedLog } from '../../tests/api/support/long-log.js';
import { freezeDataset } from '../../tests/builders/frozen-dataset.js';
import { addBenchTenant, callerOf } from '../harness/bench-tenant.js';
import { longOrShort } from '../harness/mode.js';
import type { PlatformFacts } from '../harness/platform.js';
import { platformStore } from '../harness/platform-store.js';
import { settingsOf } from '../harness/service-settings.js';

export const LINES = longOrShort(300_000, 30_000);
/** A line that is in the log once. @param number from 1 on */
export const lineOf = (number: number): string => `Epoch ${number}/${LINES} `;

const text = (): string =>
  Array.from({ length: LINES }, (_, at) => {
    const loss = (1 / (1 + at / 1000) + (at % 97) / 1e4).toFixed(5);
    const level = at % 1000 === 999 ? 'WARNING' : 'INFO';
    return `2026-01-01 00:00:00 ${level} ${lineOf(at + 1)} train loss ${loss} accuracy 0.9871\n`;
  }).join('');

/** The log of a training, as its host copies it: segments in the store and rows, until it becomes a file of the run. */
export interface StoredLog {
  /** Code of its tenant. */
  readonly tenant: string;
  readonly experimentId: string;
  readonly bytes: number;
  /** Seconds from the first byte to the last in rows and segments. */
  readonly copyS: number;
  /** As at the end of the training. */
  becomeFile(): Promise<void>;
}

/** A training in a tenant of its own with a log of LINES lines, which the follower of the hosts copies. */
export async function withStoredLog<T>(
  facts: PlatformFacts,
  work: (log: StoredLog) => Promise<T>,
): Promise<T> {
  const settings = settingsOf(facts, 'api');
  const objects = platformStore(settings);
  const database = await Database.open({
    appUrl: settings.DATABASE_URL as string,
    platformUrl: settings.DATABASE_PLATFORM_URL as string,
    ...{ appPool: 2, platformPool: 1, applicationName: 'bench-log' },
  });
  const folder = mkdtempSync(join(tmpdir(), 'visionops-log-'));
  try {
    const { tenant, ref } = await canceledTraining(facts.base_url, database, objects);
    const { print, read } = printedLog(folder);
    const printed = text();
    print(printed);
    const { logger } = createLogger({ level: 'warn', name: 'bench', file: null });
    const events = { publish: () => undefined } as never;
    const runner = { readLog: (_id: string, offset: number, max: number) => read(offset, max) };
    const startedAt = performance.now();
    await copyOfAttempt({ database, objects, events, logger, runner }, ref).pump(true);
    return await work({
      ...{ tenant, experimentId: ref.experimentId, bytes: Buffer.byteLength(printed) },
      copyS: (performance.now() - startedAt) / 1000,
      becomeFile: () => {
        const { storeAttemptLog } = createOutcomeActivities({ database, objects, events });
        return new MockActivityEnvironment().run(storeAttemptLog, ref);
      },
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await database.close();
    await objects.close();
  }
}

/** One that has ended, without what it printed itself: nobody else writes its log. */
async function canceledTraining(
  baseUrl: string,
  database: Database,
  objects: ManagedObjectStore,
): Promise<{ tenant: string; ref: AttemptRef }> {
  const tenant = await addBenchTenant(baseUrl, 0);
  const files = ['0/a.png', '1/b.png'].map((path) => ({ path, bytes: Buffer.from(path) }));
  const dataset = await freezeDataset(database, objects, tenant.id, 'log-data', files);
  const call = callerOf(baseUrl, tenant.adminToken);
  const path = '/api/v1/training/experiments';
  const { id, tracker_run_id: runId } = await call('POST', `${path}?tenant=${tenant.code}`, {
    ...{ task: 'classification', framework: 'sklearn', model: 'knn', dataset_id: dataset.key },
    ...{ experiment_name: 'long-log', evaluation: { enabled: false } },
  });
  await call('POST', `${path}/${id}/cancel?tenant=${tenant.code}`);
  while (
    !['CANCELED', 'FAILED'].includes(
      String((await call('GET', `${path}/${id}?tenant=${tenant.code}`)).status),
    )
  )
    await sleep(100);
  await database.inTenant(asTenantId(tenant.id), async (tx) => {
    await tx.execute(
      `delete from run_artifact where tenant_id = $1 and path = 'logs/train.log'
         and run in (select id from tracker_run where tenant_id = $1 and run_id = $2)`,
      [tenant.id, runId],
    );
    await tx.execute('delete from log_segment where tenant_id = $1 and experiment_id = $2', [tenant.id, id]);
    await tx.execute('delete from log_chunk where tenant_id = $1 and experiment_id = $2', [tenant.id, id]);
  });
  return { tenant: tenant.code, ref: { tenantId: tenant.id, experimentId: String(id), attempt: 1 } };
}
