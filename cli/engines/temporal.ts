import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import type { EngineHandle } from './engine.js';
import { ensureEngine, type FetchOptions } from './fetch-engine.js';
import { baseEnvironment, launch } from './launch.js';
import { choosePorts } from './ports.js';
import { type StartOptions, startEngine } from './start-engine.js';

export const NAMESPACE = 'visionops';
const RETENTION_S = 30 * 24 * 3600;

export interface TemporalOptions extends StartOptions, FetchOptions {
  /** For tests: workflows live in memory and there is no UI. */
  readonly inMemory?: boolean;
  /** For tests: events after which the server suggests to go on as a new run; its own limit is 4,096. */
  readonly eventsOfARun?: number;
}

type TemporalPort = 'temporal' | 'ui' | 'http' | 'metrics';

/** Starts the Temporal development server with the namespace `visionops` and its search attribute `TenantId`. */
export async function startTemporal(options: TemporalOptions): Promise<EngineHandle<TemporalPort>> {
  const binary = options.binary ?? (await ensureEngine('temporal', options));
  const logFile = join(options.dataDir, 'logs', 'temporal.log');
  return startEngine<TemporalPort>(
    {
      name: 'temporal',
      title: 'Temporal',
      logFile,
      signal: 'SIGTERM',
      graceMs: 10_000,
      choosePorts: chooseTemporalPorts,
      launch: (ports) =>
        launch({
          command: binary.path,
          args: [...serverArgs(ports), ...storageArgs(options, ports.ui), ...limitArgs(options)],
          env: { ...baseEnvironment(), TEMPORAL_DISABLE_UPDATE_CHECK: '1' },
          cwd: options.dataDir,
          logFile,
        }),
      probe: (ports) => keepHistories(`127.0.0.1:${ports.temporal}`),
    },
    options,
  );
}

async function chooseTemporalPorts(
  wanted: Readonly<Record<string, number>>,
): Promise<Record<TemporalPort, number>> {
  const [temporal, ui, http, metrics] = (await choosePorts([
    wanted.temporal,
    wanted.ui,
    wanted.http,
    wanted.metrics,
  ])) as [number, number, number, number];
  return { temporal, ui, http, metrics };
}

const serverArgs = (ports: Readonly<Record<TemporalPort, number>>): string[] => [
  'server',
  'start-dev',
  '--ip',
  '127.0.0.1',
  '--log-level',
  'error',
  '--log-format',
  'json',
  '--port',
  String(ports.temporal),
  '--http-port',
  String(ports.http),
  '--metrics-port',
  String(ports.metrics),
  '--namespace',
  NAMESPACE,
  '--search-attribute',
  'TenantId=Keyword',
  // A workflow whose task failed twice in a row is marked, and health names it.
  '--dynamic-config-value',
  'system.numConsecutiveWorkflowTaskProblemsToTriggerSearchAttribute=2',
  // Tenants take turns in every task queue.
  '--dynamic-config-value',
  'matching.enableFairness=true',
  // One partition holds all that waits, or a turn would be one in each of four. Those that an earlier start filled are still read.
  '--dynamic-config-value',
  'matching.numTaskqueueWritePartitions=1',
];

const storageArgs = (options: TemporalOptions, ui: number): string[] =>
  options.inMemory === true
    ? ['--headless']
    : [
        '--ui-port',
        String(ui),
        '--ui-disable-news-fetch',
        '--db-filename',
        join(privateFolder(options.dataDir), 'temporal.db'),
      ];

const limitArgs = ({ eventsOfARun }: TemporalOptions): string[] =>
  eventsOfARun === undefined
    ? []
    : ['--dynamic-config-value', `limit.historyCount.suggestContinueAsNew=${eventsOfARun}`];

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
    await connection.workflowService.updateNamespace({
      namespace: NAMESPACE,
      config: { workflowExecutionRetentionTtl: { seconds: RETENTION_S as never } },
    });
  } finally {
    await connection.close();
  }
}
