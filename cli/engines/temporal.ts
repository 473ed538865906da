import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import type { EngineHandle } from './engine.js';
import { ensureEngine, type FetchOptions } from './fetch-engine.js';
import { baseEnvironment, launch, waitUntilReady } from './launch.js';
import { choosePorts } from './ports.js';
import { stopProcess } from './process-ref.js';

export const NAMESPACE = 'visionops';
const RETENTION_S = 30 * 24 * 3600;

export interface TemporalOptions extends FetchOptions {
  readonly dataDir: string;
  /** Kept when they are free: frontend, UI. */
  readonly ports?: { readonly temporal?: number; readonly ui?: number };
  /** For tests: workflows live in memory and there is no UI. */
  readonly inMemory?: boolean;
}

/** Starts the Temporal development server with the namespace `visionops` and its search attribute `TenantId`. */
export async function startTemporal(options: TemporalOptions): Promise<EngineHandle<'temporal' | 'ui'>> {
  const binary = await ensureEngine('temporal', options);
  const [port, ui, http, metrics] = (await choosePorts([options.ports?.temporal, options.ports?.ui, undefined, undefined])) as [number, number, number, number];
  const logFile = join(options.dataDir, 'logs', 'temporal.log');
  const storage = options.inMemory === true ? ['--headless'] : ['--ui-port', String(ui), '--ui-disable-news-fetch', '--db-filename', join(privateFolder(options.dataDir), 'temporal.db')];
  const ref = await launch({
    command: binary.path,
    args: ['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port), '--http-port', String(http), '--metrics-port', String(metrics),
      '--namespace', NAMESPACE, '--search-attribute', 'TenantId=Keyword', '--log-level', 'error', '--log-format', 'json', ...storage],
    env: { ...baseEnvironment(), TEMPORAL_DISABLE_UPDATE_CHECK: '1' },
    cwd: options.dataDir,
    logFile,
  });
  const stop = () => stopProcess(ref, 'SIGTERM', 10_000);
  try {
    await waitUntilReady({ name: 'Temporal', ref, logFile, timeoutMs: 60_000, probe: () => keepHistories(`127.0.0.1:${port}`) });
  } catch (error) {
    await stop();
    throw error;
  }
  return { ...ref, name: 'temporal', ports: { temporal: port, ui }, stop };
}

/** Histories hold tenants' ids: nobody else on the machine may read them. */
function privateFolder(dataDir: string): string {
  const folder = join(dataDir, 'temporal');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** Sets how long closed workflows stay readable; the development server would drop them after a day. Idempotent. */
async function keepHistories(address: string): Promise<void> {
  const connection = await Connection.connect({ address, connectTimeout: '2s' });
  try {
    const { config } = await connection.workflowService.describeNamespace({ namespace: NAMESPACE });
    if (Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0) === RETENTION_S) return;
    await connection.workflowService.updateNamespace({ namespace: NAMESPACE, config: { workflowExecutionRetentionTtl: { seconds: RETENTION_S as never } } });
  } finally {
    await connection.close();
  }
}
