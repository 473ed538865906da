import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createWorkflowEngine } from '../adapters/temporal/temporal-workflow-engine.js';
import { syncWorkflowId } from '../models/sources/sync/dataset-sync-work.types.js';
import { startChildServer } from './harness/child-server.js';
import { longOrShort } from './harness/mode.js';
import { comparePairs, type Sample } from './harness/pairs.js';
import { ADMIN, newDataDir, type RunningPlatform, removeDataDir, startPlatform } from './harness/platform.js';
import { platformStore } from './harness/platform-store.js';
import { cpuSecondsOf } from './harness/process-tree.js';
import { settingsOf } from './harness/service-settings.js';
import { atLeast, atMost, type BenchResult } from './harness/results.js';

const PAIRS = longOrShort(5, 1);
const FILES = longOrShort(20_000, 2000);
const PARALLEL = 8;

/** Syncs of 20,000 files against a plain loop of the same parallelism, same source, same store; in files per second. */
export async function datasetSync(): Promise<BenchResult> {
  const dataDir = newDataDir();
  const source = await startChildServer('dataset-source', [String(2 * PAIRS), String(FILES)]);
  process.env.SERVICE_OUTBOUND_ALLOW = '127.0.0.0/8';
  process.env.SERVICE_SYNC_PARALLEL = String(PARALLEL);
  try {
    const platform = await startPlatform(dataDir);
    try {
      return await compare(platform, `${source.baseUrl}/api`);
    } finally {
      await platform.stop();
    }
  } finally {
    await source.stop();
    removeDataDir(dataDir);
  }
}

async function compare(platform: RunningPlatform, sourceUrl: string): Promise<BenchResult> {
  const env = settingsOf(platform.facts, 'worker');
  const api = await signedIn(platform.facts.base_url);
  await api('POST', '/external-sources', { name: 'Bench', base_url: sourceUrl });
  // The source computes what it serves when it is first asked.
  for (let n = 0; n < 2 * PAIRS; n += 1)
    await (await fetch(`${sourceUrl}/datasets/d${n}/manifest`)).arrayBuffer();
  const events: number[] = [];
  let next = 0;
  const subject = async (): Promise<Sample> => {
    const { sample, historyLength } = await syncOnce(platform, api, `d${next++}`, env);
    events.push(historyLength);
    return sample;
  };
  const result = await comparePairs(PAIRS, subject, () => loopOnce(sourceUrl, `d${next++}`, env));
  const most = Math.max(...events);
  return {
    figures: { ...result, files: FILES, parallel: PARALLEL, history_events: most },
    goals: [
      atLeast('files per second, sync / plain loop', result.wallRatio.median, 0.6),
      atMost('history events of a sync', most, 2000),
    ],
  };
}

type Api = (method: string, path: string, json?: unknown) => Promise<Record<string, never>>;

async function signedIn(baseUrl: string): Promise<Api> {
  const answer = await fetch(`${baseUrl}/auth/jwt/login`, {
    method: 'POST',
    body: new URLSearchParams({ username: ADMIN.email, password: ADMIN.password }),
  });
  const { access_token } = (await answer.json()) as { access_token: string };
  return async (method, path, json) => {
    const headers = {
      authorization: `Bearer ${access_token}`,
      'x-tenant': 'demo',
      'content-type': 'application/json',
    };
    const response = await fetch(`${baseUrl}/api/v1${path}`, {
      method,
      headers,
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? {} : (JSON.parse(text) as Record<string, never>);
  };
}

async function syncOnce(
  platform: RunningPlatform,
  api: Api,
  remote: string,
  env: NodeJS.ProcessEnv,
): Promise<{ sample: Sample; historyLength: number }> {
  const { worker, postgres, temporal } = platform.facts.pids;
  const pids = [worker, postgres, temporal].filter((pid) => pid !== null);
  const cpuBefore = cpuSecondsOf(pids);
  const { id: dataset, sync_id: syncId } = await api('POST', '/datasets:from-external', {
    source_id: 'bench',
    remote_dataset_id: remote,
    sync_now: true,
  });
  let sync = await api('GET', `/datasets/${dataset}/syncs/${syncId}`);
  for (; sync.status === 'queued' || sync.status === 'running'; await sleep(250))
    sync = await api('GET', `/datasets/${dataset}/syncs/${syncId}`);
  const cpuS = cpuSecondsOf(pids) - cpuBefore;
  if (sync.status !== 'done' || sync.error_count !== 0)
    throw new Error(`the sync ended as ${JSON.stringify(sync).slice(0, 500)}`);
  const seconds =
    (Date.parse(sync.finished_at as unknown as string) - Date.parse(sync.created_at as unknown as string)) /
    1000;
  const historyLength = await eventsOf(env, sync.id as unknown as string);
  await api('DELETE', `/datasets/${dataset}`);
  await untilEmpty(env);
  return { sample: { perCpuS: FILES / cpuS, perWallS: FILES / seconds }, historyLength };
}

async function eventsOf(env: NodeJS.ProcessEnv, syncId: string): Promise<number> {
  const engine = createWorkflowEngine({
    address: env.TEMPORAL_ADDRESS as string,
    namespace: env.TEMPORAL_NAMESPACE as string,
  });
  try {
    // One tenant is there; its id is part of the workflow's.
    for await (const { workflowId, runId } of engine.client.workflow.list({
      query: 'WorkflowType = "datasetSync"',
    }))
      if (workflowId === syncWorkflowId({ tenantId: workflowId.split(':')[1] as string, syncId }))
        return (await engine.client.workflow.getHandle(workflowId, runId).describe()).historyLength;
    throw new Error('the workflow is not listed');
  } finally {
    await engine.close();
  }
}

/** What a sync stored is removed before the next measurement, and with it everything that works on it. */
async function untilEmpty(env: NodeJS.ProcessEnv): Promise<void> {
  const objects = platformStore(env);
  try {
    for (let left = 600; left > 0; left -= 1, await sleep(500))
      if ((await objects.list('t/')[Symbol.asyncIterator]().next()).done) return;
    throw new Error('the store was not emptied');
  } finally {
    await objects.close();
  }
}

async function loopOnce(sourceUrl: string, dataset: string, env: NodeJS.ProcessEnv): Promise<Sample> {
  const file = fileURLToPath(new URL('./servers/plain-sync.js', import.meta.url));
  const child = fork(file, [sourceUrl, dataset, String(PARALLEL), `bench/${dataset}`], {
    env: { ...process.env, ...env },
  });
  const gone = once(child, 'exit');
  const [{ files, seconds, cpuS }] = (await once(child, 'message')) as [
    { files: number; seconds: number; cpuS: number },
  ];
  await gone;
  if (files !== FILES) throw new Error(`the loop copied ${files} files`);
  return { perCpuS: files / cpuS, perWallS: files / seconds };
}
