import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { collectDefaultMetrics, type Registry } from 'prom-client';

export interface OpsServerOptions {
  readonly port: number;
  readonly registry: Registry;
  /** Metrics that a library of the process shows by itself, in the same text form. */
  readonly more?: () => Promise<string>;
  /** Named checks; the process is ready when none throws. */
  readonly checks: Readonly<Record<string, () => Promise<void>>>;
  /** What somebody must look at although this process can work; null when there is nothing. */
  readonly alert?: () => Promise<string | null>;
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
  const metrics = metricsOf(options.registry, options.more);
  const server = createServer((request, response) => {
    const send = (status: number, type: string, body: string) =>
      response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
    const json = (status: number, body: unknown) => send(status, 'application/json', JSON.stringify(body));
    const path = (request.url ?? '/').split('?')[0];
    if (request.method !== 'GET') return void json(405, { message: 'Only GET.' });
    if (path === '/livez') return void json(200, { status: 'ok' });
    if (path === '/readyz')
      return void readiness(options, draining).then((state) => json(state.ready ? 200 : 503, state));
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

/**
 * The process's own metrics are kept from the first reading on: watching the event loop wakes it a hundred times a second,
 * which nobody needs where nobody reads.
 */
function metricsOf(registry: Registry, more: OpsServerOptions['more']): () => Promise<string> {
  let watching: Promise<void> | null = null;
  const watch = () => {
    collectDefaultMetrics({ register: registry });
    return sleep(FIRST_LOOKS_MS);
  };
  return async () => {
    watching ??= watch();
    await watching;
    const own = await registry.metrics();
    // Without the library's the others are still worth reading.
    const theirs = (await more?.().catch(() => '')) ?? '';
    return theirs === '' ? own : `${own}\n${theirs}`;
  };
}

interface Readiness {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, string>>;
  /** Absent when there is none. */
  readonly alert?: string;
}

async function readiness({ checks, alert }: OpsServerOptions, draining: boolean): Promise<Readiness> {
  // Whoever cannot be asked is seen in the checks.
  const said = alert?.().catch(() => null) ?? null;
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => [name, await outcome(check)] as const),
  );
  const alarm = await said;
  const all = draining ? [...results, ['process', 'stopping'] as const] : results;
  return {
    ready: all.every(([, result]) => result === 'ok'),
    checks: Object.fromEntries(all),
    ...(alarm === null ? {} : { alert: alarm }),
  };
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
