import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { collectDefaultMetrics, Counter, type Registry } from 'prom-client';
import type { Readiness } from '../../core/health/readiness.js';

export interface OpsServerOptions {
  readonly host: string;
  readonly port: number;
  readonly registry: Registry;
  readonly readiness: Readiness;
  /** Since the start of the process. */
  readonly lostLogLines: () => number;
  /** Metrics that a library of the process shows by itself, in the same text form. */
  readonly more?: () => Promise<string>;
}

export interface OpsServer {
  readonly port: number;
  close(): Promise<void>;
}

/** The event loop's delay is known after it was looked at a few times; a busy machine takes longer. */
const LOOKS_MS = 50;
const MAX_READINGS = 20;
/** What the library shows while there was no look since the last reading: the largest value of its counter. */
const NO_LOOK_YET = /^nodejs_eventloop_lag_min_seconds 9\d{9}/m;

/** `/livez`, `/readyz` and `/metrics` of a process, apart from the public port. Used by the API and the worker alike. */
export async function startOpsServer(options: OpsServerOptions): Promise<OpsServer> {
  countLostLines(options);
  const metrics = metricsOf(options.registry, options.more);
  const server = createServer((request, response) => {
    const send = (status: number, type: string, body: string) =>
      response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
    const json = (status: number, body: unknown) => send(status, 'application/json', JSON.stringify(body));
    const path = (request.url ?? '/').split('?')[0];
    if (request.method !== 'GET') return void json(405, { message: 'Only GET.' });
    if (path === '/livez') return void json(200, { status: 'ok' });
    if (path === '/readyz')
      return void options.readiness.report().then((state) => json(state.ready ? 200 : 503, state));
    if (path === '/metrics') {
      return void metrics().then(
        (text) => send(200, options.registry.contentType, text),
        () => json(500, { message: 'The metrics could not be collected.' }),
      );
    }
    json(404, { message: 'Unknown path; use /livez, /readyz or /metrics.' });
  });
  server.keepAliveTimeout = 5000;
  await listen(server, options.port, options.host);
  return {
    port: (server.address() as AddressInfo).port,
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
function metricsOf(registry: Registry, more: OpsServerOptions['more']): () => Promise<string> {
  let watching: Promise<void> | null = null;
  const watch = () => {
    collectDefaultMetrics({ register: registry });
    return sleep(LOOKS_MS);
  };
  const read = async () => {
    let text = await registry.metrics();
    for (let left = MAX_READINGS; left > 0 && NO_LOOK_YET.test(text); left -= 1) {
      await sleep(LOOKS_MS);
      text = await registry.metrics();
    }
    return text;
  };
  return async () => {
    watching ??= watch();
    await watching;
    const own = await read();
    // Without the library's the others are still worth reading.
    const theirs = (await more?.().catch(() => '')) ?? '';
    return theirs === '' ? own : `${own}\n${theirs}`;
  };
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve());
  });
}
