import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createWorkflowEngine,
  type ManagedWorkflowEngine,
} from '../../adapters/temporal/temporal-workflow-engine.js';
import { DATASET_ID } from '../../cli/sample/dataset-step.js';
import { trainingStart, trainingWorkflowId } from '../../models/training/training-work.types.js';
import { callerOf, signInFor } from '../harness/bench-tenant.js';
import { longOrShort } from '../harness/mode.js';
import { asOwner } from '../harness/owner-sql.js';
import {
  ADMIN,
  newDataDir,
  removeDataDir,
  type RunningPlatform,
  startPlatform,
} from '../harness/platform.js';
import { environmentOf } from '../harness/process-tree.js';
import { atMost, type BenchResult } from '../harness/results.js';
import { spreadOf } from '../harness/statistics.js';

const PAIRS = longOrShort(21, 5);
const CONFIG = {
  ...{ task: 'classification', framework: 'sklearn', model: 'mlp', dataset_id: DATASET_ID, gpu: 0 },
  split: { mode: 'ratio', train: 0.8, val: 0.1, test: 0.1, seed: 42, stratify: true },
};

/**
 * From POST until the first step of the training is begun and stored, against the same workflow started by Temporal's client
 * for an experiment that is not there, until its first activity has said so: both by the times in their histories.
 */
export async function trainingStartTime(): Promise<BenchResult> {
  const dataDir = newDataDir();
  try {
    const platform = await startPlatform(dataDir, { sample: true });
    const { TEMPORAL_ADDRESS = '', TEMPORAL_NAMESPACE = 'visionops' } = environmentOf(
      platform.facts.pids.worker as number,
    );
    const engine = createWorkflowEngine({ address: TEMPORAL_ADDRESS, namespace: TEMPORAL_NAMESPACE });
    try {
      const tenantId = await asOwner(platform.facts, dataDir, async (owner) => {
        await owner.query('set row_security = off');
        const { rows } = await owner.query<{ id: string }>("select id from tenant where code = 'demo'");
        return rows[0]?.id as string;
      });
      return await measure(platform, engine, tenantId);
    } finally {
      await engine.close();
      await platform.stop();
    }
  } finally {
    removeDataDir(dataDir);
  }
}

async function measure(
  { facts }: RunningPlatform,
  engine: ManagedWorkflowEngine,
  tenantId: string,
): Promise<BenchResult> {
  const token = await signInFor(facts.base_url, ADMIN.email, ADMIN.password);
  const call = callerOf(facts.base_url, token);
  const refOf = (experimentId: string) => ({ tenantId, experimentId, attempt: 1 });
  const bare = async () => {
    const ref = refOf(randomUUID());
    const startedAt = Date.now();
    await engine.start(trainingStart(ref));
    return (await firstActivityAt(engine, trainingWorkflowId(ref))) - startedAt;
  };
  const path = '/api/v1/training/experiments';
  const posted = async () => {
    const startedAt = Date.now();
    const { id } = await call('POST', `${path}?tenant=demo`, CONFIG);
    const ms = (await firstActivityAt(engine, trainingWorkflowId(refOf(String(id))))) - startedAt;
    await call('POST', `${path}/${id}/cancel?tenant=demo`);
    while (!['CANCELED', 'FAILED'].includes(String((await call('GET', `${path}/${id}?tenant=demo`)).status)))
      await sleep(100);
    return ms;
  };
  const times: Array<{ posted: number; bare: number }> = [];
  for (let pair = -1; pair < PAIRS; pair += 1) {
    const first = pair % 2 === 0 ? await bare() : null;
    const whole = { posted: await posted(), bare: first ?? (await bare()) };
    if (pair >= 0) times.push(whole);
  }
  const ratio = spreadOf(times.map((pair) => pair.posted / pair.bare));
  return {
    figures: {
      pairs: PAIRS,
      posted_ms: spreadOf(times.map((pair) => pair.posted)),
      bare_ms: spreadOf(times.map((pair) => pair.bare)),
      posted_over_bare: ratio,
    },
    goals: [atMost('from POST to the first step, over a bare start', ratio.median, 1.3)],
  };
}

/** When the first activity of the workflow was done, in milliseconds since 1970. */
async function firstActivityAt(engine: ManagedWorkflowEngine, workflowId: string): Promise<number> {
  for (let left = 1500; left > 0; left -= 1) {
    const history = await engine.client.workflow
      .getHandle(workflowId)
      .fetchHistory()
      .catch(() => null);
    const done = history?.events?.find((event) => event.activityTaskCompletedEventAttributes);
    if (done?.eventTime)
      return Number(done.eventTime.seconds) * 1000 + Number(done.eventTime.nanos ?? 0) / 1e6;
    await sleep(20);
  }
  throw new Error(`${workflowId} began nothing`);
}
