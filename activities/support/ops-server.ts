import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { collectDefaultMetrics, Counter, type Registry } from 'prom-client';

export interface OpsServerOptions {
  readonly port: number;
  readonly registry: Registry;
  /** Since the start of the process. */
  readonly lostLogLines: () => number;
  /** Named checks; the process is ready when none throws. */
  readonly checks: Readonly<Record<string, () => Promise<void>>>;
}

export interface OpsServer {
  readonly port: number;
  /** From now on /readyz answers 503, so that no new work is sent here. */
  drain(): void;
  close(): Promise<void>;
}

const CHECK_TIMEOUT_MS = 3000;
/** The event loop's delay is known after it was looked at a few times. */
const FIRST_LOOKS_MS = 50;

/**
 * `/livez`, `/readyz` and `/metrics` of a process, on the loopback interface and apart from the public port. Used by the
 * API and the worker alike.
 */
export async function startOpsServer(options: OpsServerOptions): Promise<OpsServer> {
  let draining = false;
  countLostLines(options);
  const metrics = metricsOf(options.registry);
  const server = createServer((request, response) => {
    const send = (status: number, type: string, body: string) =>
      response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
    const json = (status: number, body: unknown) => send(status, 'application/json', JSON.stringify(body));
    const path = (request.url ?? '/').split('?')[0];
    if (request.method !== 'GET') return void json(405, { message: 'Only GET.' });
    if (path === '/livez') return void json(200, { status: 'ok' });
    if (path === '/readyz')
      return void readiness(options.checks, draining).then((state) => json(state.ready ? 200 : 503, state));
    if (path === '/metrics') {
      return void metrics().then(
        (text) => send(200, options.registry.contentType, text),
        () => json(500, { message: 'The metrics could not be collected.' }),
      );
    }
    json(404, { message: 'Unknown path; use /livez, /readyz or /metrics.' });
  });
  server.keepAliveTimeout = 5000;
  await listen(server, options.port);
  return {
    port: (server.address() as AddressInfo).port,
    drain: () => {
      draining = true;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function countLostLines({ registry, lostLogLines }: OpsServerOptions): void {
  new Counter({
    name: 'visionops_log_lines_lost_total',
    help: 'Log lines that were not taken as fast as they came',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(lostLogLines());
    },
  });
}

/**
 * The process's own metrics are kept from the first reading on: watching the event loop wakes it a hundred times a second,
 * which nobody needs where nobody reads.
 */
function metricsOf(registry: Registry): () => Promise<string> {
  let watching: Promise<void> | null = null;
  const watch = () => {
    collectDefaultMetrics({ register: registry });
    return sleep(FIRST_LOOKS_MS);
  };
  return async () => {
    watching ??= watch();
    await watching;
    return registry.metrics();
  };
}

interface Readiness {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, string>>;
}

async function readiness(checks: OpsServerOptions['checks'], draining: boolean): Promise<Readiness> {
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => [name, await outcome(check)] as const),
  );
  const all = draining ? [...results, ['process', 'stopping'] as const] : results;
  return { ready: all.every(([, result]) => result === 'ok'), checks: Object.fromEntries(all) };
}

async function outcome(check: () => Promise<void>): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve('no answer in time'), CHECK_TIMEOUT_MS);
  });
  try {
    return await Promise.race([check().then(() => 'ok'), late]);
  } catch (error) {
    return (error as Error).message.slice(0, 200);
  } finally {
    clearTimeout(timer);
  }
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve());
  });
}
