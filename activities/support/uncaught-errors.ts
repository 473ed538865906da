import type { Logger, ProcessLog } from '../../core/logging/logger.js';

/**
 * An error nobody caught leaves the process in an unknown state: it is logged and the process ends with 1, so that its
 * supervisor starts a clean one. Durable work goes on from the database and Temporal.
 */
export function installCrashPolicy(logger: Logger, exit: ProcessLog['exit']): void {
  const die = (kind: string) => (error: unknown) => {
    logger.fatal({ err: error }, kind);
    void exit(1);
  };
  process.on('uncaughtException', die('uncaught exception'));
  process.on('unhandledRejection', die('unhandled rejection'));
}
