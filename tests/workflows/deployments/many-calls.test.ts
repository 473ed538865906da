import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DeploymentActivities } from '../../../activities/deployments/deployment.activities.js';
import { NAMESPACE, startTemporal } from '../../../cli/engines/temporal.js';
import { NO_MORE } from '../../../models/deployments/deployment-state.rules.js';
import {
  DEPLOYMENT_SIGNAL,
  DEPLOYMENT_WORKFLOW,
  type DeploymentRef,
} from '../../../models/deployments/follow-up/deployment-work.types.js';
import { type Lab, openLab } from '../support/lab.js';

const ref: DeploymentRef = {
  tenantId: '00000000-0000-4000-8000-000000000001',
  deploymentId: '00000000-0000-4000-8000-000000000003',
  attempt: 1,
};
const AT_ONCE_CALLS = 50;
/** The engine suggests to begin anew from here on: what the test fills stays below. */
const SUGGESTED_EVENTS = 50_000;

describe('a deployment that thousands of devices call while it looks', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'visionops-calls-'));
  let server: Awaited<ReturnType<typeof startTemporal>>;
  let lab: Lab;
  beforeAll(async () => {
    server = await startTemporal({ dataDir, inMemory: true, eventsOfARun: SUGGESTED_EVENTS });
    lab = await openLab({ address: `127.0.0.1:${server.ports.temporal}`, namespace: NAMESPACE });
  }, 120_000);
  afterAll(async () => {
    await lab?.close();
    await server?.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('begins its history anew before the engine suggests it', async () => {
    let looks = 0;
    const began = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    const activities: DeploymentActivities = {
      advanceDeployment: async () => {
        looks += 1;
        began.resolve();
        await ended.promise;
        return looks === 1 ? { isEnd: false, waitMs: 60_000, gatherMs: 0 } : NO_MORE;
      },
      giveUpDeployment: () => Promise.reject(new Error('not expected')),
    };
    const stop = await lab.work(activities);
    try {
      const handle = await lab.start(DEPLOYMENT_WORKFLOW, 'deployment:test:many-calls', [ref]);
      const calls = Array.from({ length: AT_ONCE_CALLS }, () => DEPLOYMENT_SIGNAL);
      await began.promise;
      let events = 0;
      while (events <= 2100) {
        await Promise.all(calls.map((call) => handle.signal(call)));
        events = (await handle.describe()).historyLength;
      }
      expect(looks).toBe(1);
      ended.resolve();
      await handle.result();
      const first = await lab.client.workflow
        .getHandle(handle.workflowId, handle.firstExecutionRunId)
        .describe();
      expect(first.historyLength).toBeLessThan(SUGGESTED_EVENTS);
      expect(first.status.name).toBe('CONTINUED_AS_NEW');
      // The call is handed over: the next run looks at once.
      expect(looks).toBe(2);
    } finally {
      await stop();
    }
  }, 120_000);
});
