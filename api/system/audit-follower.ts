import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../core/logging/logger.js';
import type { AuditService } from './audit.service.js';

const EVERY_MS = 15_000;

/** Reads the audit trail into memory and keeps it near the end, so that no list waits for many entries. */
export function followAudit(trail: Pick<AuditService, 'follow'>, logger: Logger): { close(): Promise<void> } {
  const stop = new AbortController();
  const follow = async () => {
    while (!stop.signal.aborted) {
      await trail.follow(stop.signal).catch((error: unknown) => logger.warn({ err: error }, 'the audit trail was not read into memory, will try again'));
      await sleep(EVERY_MS, undefined, { signal: stop.signal, ref: false }).catch(() => undefined);
    }
  };
  const ended = follow();
  return {
    async close() {
      stop.abort();
      await ended;
    },
  };
}
