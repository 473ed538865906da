import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Logger } from '../../core/logging/logger.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { ProcessIdentity } from '../../models/system/process-heartbeat.types.js';
import { beat, forgetHeartbeat } from '../../models/system/processes.platform.js';

const EVERY_MS = 5000;

/** Says every five seconds that this API process is alive: what it holds in the database is held as long as it says so. */
export class ApiHeartbeat {
  private readonly timer: NodeJS.Timeout;
  private beating: Promise<void> = Promise.resolve();

  private constructor(
    private readonly db: Database,
    private readonly who: ProcessIdentity,
    private readonly logger: Logger,
  ) {
    this.timer = setInterval(() => void this.beat(), EVERY_MS).unref();
  }

  /** A database that is away, or has no schema yet, keeps no process from starting. */
  private beat(): Promise<void> {
    this.beating = beat(this.db, this.who).catch((error: unknown) =>
      this.logger.warn({ err: error }, 'the heartbeat could not be written'),
    );
    return this.beating;
  }

  static async start(db: Database, logger: Logger): Promise<ApiHeartbeat> {
    // In containers the next process has the same host and pid, and must not keep alive what the one before it held.
    const place = `${hostname()}:${process.pid}:${randomBytes(4).toString('hex')}`;
    const who: ProcessIdentity = { process: 'api', place, startedAt: new Date() };
    const heartbeat = new ApiHeartbeat(db, who, logger);
    await heartbeat.beat();
    return heartbeat;
  }

  get place(): string {
    return this.who.place;
  }

  /** Lets go of everything that the process holds by it. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.beating;
    await forgetHeartbeat(this.db, this.who).catch(() => undefined);
  }
}
