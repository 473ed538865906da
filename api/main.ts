import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startOpsServer } from '../adapters/ops/ops-server.js';
import { drainWaitS, takeSettings, SettingsError } from '../core/config/settings.js';
import { createLogger, type ProcessLog } from '../core/logging/logger.js';
import { type Container, createContainer } from './container.js';
import { stopGracefully } from './http/graceful-stop.js';
import { proxyFinding } from './system/proxy-finding.js';
import { createApp, createHttpServer } from './server.js';
import { ensureInitialAccounts } from './accounts/initial-accounts.js';

const STOP_WITHIN_MS = 25_000;

async function main(): Promise<void> {
  const settings = takeSettings(process.env);
  const { logger, lostLines, exit } = createLogger({
    name: 'api',
    level: settings.SERVICE_LOG_LEVEL,
    file: settings.SERVICE_LOG_FILE ?? null,
  });
  const crash = (error: unknown) => {
    logger.fatal({ err: error }, 'the process cannot go on');
    void exit(1);
  };
  process.on('uncaughtException', crash);
  process.on('unhandledRejection', crash);

  const proxies = proxyFinding(settings, null);
  if (proxies.status === 'warning') logger.warn({ hint: proxies.hint }, proxies.message);
  const container = await createContainer(settings, logger);
  container.readiness.refuse('starting');
  const ops = await startOpsServer({
    host: settings.SERVICE_OPS_HOST,
    port: settings.SERVICE_OPS_PORT,
    registry: container.metrics.registry,
    lostLogLines: lostLines,
    readiness: container.readiness,
  });
  await container.schema.untilServable((reason) => logger.error({ reason }, 'the API does not serve yet'));
  await ensureInitialAccounts(container);
  const { app } = createApp(container);
  const server = createHttpServer(app, logger);
  await new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen(settings.SERVICE_PORT, settings.SERVICE_HOST, resolve),
  );
  container.readiness.accept();
  const { port } = server.address() as AddressInfo;
  logger.info({ port, ops_port: ops.port }, 'the API listens');

  let stopping = false;
  const stop = () => {
    if (stopping) return;
    stopping = true;
    logger.info('stopping');
    void end(container, server, exit).then(async () => {
      await ops.close();
      await exit(0);
    });
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

/** No new work, then the end of what is under way, then of what it needed. */
async function end(container: Container, server: Server, exit: ProcessLog['exit']): Promise<void> {
  const waitMs = drainWaitS(container.settings) * 1000;
  setTimeout(() => void exit(1), waitMs + STOP_WITHIN_MS).unref();
  container.readiness.refuse('stopping');
  await stopGracefully(server, { waitMs, endStreams: () => container.endWaiting() });
  await container.close().catch(() => undefined);
}

main().catch((error: unknown) => {
  process.stderr.write(
    `${error instanceof SettingsError ? error.message : String((error as Error).stack ?? error)}\n`,
  );
  process.exit(1);
});
