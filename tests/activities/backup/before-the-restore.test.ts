import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { engineInEpoch } from '../../../activities/support/engine-in-epoch.js';
import { endEarlierWorkflows } from '../../../activities/system/restored-installation.js';
import { createWorkflowHistories } from '../../../adapters/temporal/temporal-histories.js';
import {
  createWorkflowEngine,
  type ManagedWorkflowEngine,
} from '../../../adapters/temporal/temporal-workflow-engine.js';
import { createLogger } from '../../../core/logging/logger.js';
import { readAuditEpoch } from '../../../models/audit/audit-sealing.platform.js';
import { Database } from '../../../models/orm/in-tenant.js';
import { idInEpoch } from '../../../models/outbox/workflow-epoch.js';
import { findUnsettledRestore } from '../../../models/backup/restores.platform.js';
import { type TestDatabase, testDatabase, testNamespace } from '../../setup/engines.js';

const { logger } = createLogger({ level: 'fatal', name: 'test', file: null });

describe('a restored installation whose Temporal still knows what began before the restore', () => {
  let clone: TestDatabase;
  let db: Database;
  let temporal: ManagedWorkflowEngine;
  let histories: ReturnType<typeof createWorkflowHistories>;
  const request = {
    workflowType: 'nobodyTakesIt',
    workflowId: `training:${randomUUID()}:${randomUUID()}:2`,
    taskQueue: 'nobody',
    input: null,
    tenantId: null,
  };
  const engineOf = (epoch: number) => engineInEpoch(temporal, async () => epoch);

  beforeAll(async () => {
    clone = await testDatabase();
    db = await Database.open({
      ...{ appUrl: clone.appUrl, platformUrl: clone.platformUrl, appPool: 2, platformPool: 2 },
      applicationName: 'test',
    });
    const place = await testNamespace();
    temporal = createWorkflowEngine(place);
    histories = createWorkflowHistories(place);
  });
  afterAll(async () => {
    await histories?.close();
    await temporal?.close();
    await db?.close();
    await clone?.drop();
  });

  it('runs the same attempt again, and ends the one of before', async () => {
    const [before, after] = [engineOf(await readAuditEpoch(db)), engineOf(2)];
    expect(await before.start(request)).toBe(true);
    const owner = new pg.Client({ connectionString: clone.ownerUrl });
    await owner.connect();
    await owner.query('insert into platform_restore (epoch, backup_id, taken_at) values (2, $1, now())', [
      randomUUID(),
    ]);
    await owner.end();
    expect(await after.isOpen(request.workflowId)).toBe(false);
    expect(await after.start(request)).toBe(true);
    const isChosen = async (epoch: number) => {
      let seen = 0;
      await histories.terminateChosen((id) => {
        seen += id === idInEpoch(request.workflowId, epoch) ? 1 : 0;
        return false;
      }, '');
      return seen > 0;
    };
    // Its lists lag behind by about a second; those of an installation that was restored have had the time.
    for (let tries = 100; tries > 0 && !((await isChosen(1)) && (await isChosen(2))); tries -= 1)
      await sleep(100);
    await endEarlierWorkflows({ database: db, histories, logger });
    expect(await before.isOpen(request.workflowId)).toBe(false);
    expect(await after.isOpen(request.workflowId)).toBe(true);
    expect(await findUnsettledRestore(db)).toBeNull();
  });
});
