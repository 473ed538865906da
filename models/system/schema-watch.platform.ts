import { setTimeout as sleep } from 'node:timers/promises';
import { MIGRATIONS } from '../migrations/list.js';
import type { Database } from '../orm/in-tenant.js';
import { readSchemaState } from './schema-state.sql.js';
import { type SchemaState, schemaProblem } from './schema-state.rules.js';

const ASK_AGAIN_MS = 1000;
const LOOK_EVERY_MS = 10_000;
/** No such table, no such function, not allowed to read it: the database is from before the migration that adds them. */
const CANNOT_SAY = new Set(['42P01', '42883', '42501']);

const KNOWN = MIGRATIONS.map(({ name }) => name);

/** Follows whether the schema of the database is one that this program can serve. */
export class SchemaWatch {
  private found: string | null = null;
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly database: Database) {}

  /** Why nothing can be served, as of the last look that the database answered; null when all is well. */
  get problem(): string | null {
    return this.found;
  }

  /** Looks. @throws Error with the problem, or when the database cannot be asked */
  async check(): Promise<void> {
    this.found = schemaProblem(KNOWN, await this.read());
    if (this.found !== null) throw new Error(this.found);
  }

  /**
   * Comes back once the schema fits, or `signal` is aborted, and keeps looking from then on.
   * @param onProblem called once for each reason
   */
  async untilServable(onProblem: (reason: string) => void, signal?: AbortSignal): Promise<void> {
    for (let last = ''; signal?.aborted !== true; ) {
      try {
        await this.check();
        break;
      } catch (error) {
        const { message } = error as Error;
        if (message !== last) onProblem(message);
        last = message;
      }
      await sleep(ASK_AGAIN_MS, undefined, { signal }).catch(() => undefined);
    }
    this.timer = setInterval(() => void this.check().catch(() => undefined), LOOK_EVERY_MS).unref();
  }

  close(): void {
    if (this.timer) clearInterval(this.timer);
  }

  private async read(): Promise<SchemaState | null> {
    try {
      return await this.database.inPlatform(readSchemaState);
    } catch (error) {
      if (CANNOT_SAY.has((error as { code?: string }).code ?? '')) return null;
      throw error;
    }
  }
}
