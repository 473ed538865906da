import { startOpsServer } from '../activities/support/ops-server.js';
import { parseSettings, SettingsError } from '../core/config/settings.js';
import { createLogger } from '../core/logging/logger.js';
import { createContainer } from './container.js';
import { createApp, createHttpServer } from './server.js';
import { ensureInitialAccounts } from './accounts/initial-accounts.platform.js';

const STOP_WITHIN_MS = 25_000;

async function main(): Promise<void> {
  const settings = parseSettings(process.env);
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

  const container = await createContainer(settings, logger);
  await ensureInitialAccounts(container);
  const { app } = createApp(container);
  const server = createHttpServer(app, logger);
  let stopping = false;
  const ops = await startOpsServer({
    port: settings.SERVICE_OPS_PORT,
    registry: container.metrics.registry,
    lostLogLines: lostLines,
    checks: { database: () => container.db.ping() },
  });
  await new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen(settings.SERVICE_PORT, settings.SERVICE_HOST, resolve),
  );
  logger.info({ port: settings.SERVICE_PORT }, 'the API listens');

  const stop = () => {
    if (stopping) return;
    stopping = true;
    logger.info('stopping');
    setTimeout(() => void exit(1), STOP_WITHIN_MS).unref();
    ops.drain();
    container.hub.close();
    server.close(() => {
      void Promise.allSettled([container.close(), ops.close()]).then(() => exit(0));
    });
    server.closeIdleConnections();
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

main().catch((error: unknown) => {
  process.stderr.write(
    `${error instanceof SettingsError ? error.message : String((error as Error).stack ?? error)}\n`,
  );
  process.exit(1);
});
