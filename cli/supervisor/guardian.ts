import type { EngineHandle } from '../engines/engine.js';
import { isRunning } from '../engines/process-ref.js';
import { backOffMs, countDeath } from './restart.rules.js';

const LOOK_EVERY_MS = 1000;

export interface Ward {
  readonly name: string;
  /** Starts it again; called after a death, never at the same time twice. */
  readonly restart: () => Promise<EngineHandle>;
}

interface Watched {
  readonly ward: Ward;
  handle: EngineHandle;
  inARow: number;
  lastStartAt: number;
  /** Set while it is dead and waits for its restart. */
  busy: boolean;
}

/** Looks after running processes: whoever dies is started again, later each time it dies at once. */
export class Guardian {
  private readonly watched: Watched[] = [];
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly say: (text: string) => void) {}

  watch(ward: Ward, handle: EngineHandle): void {
    this.watched.push({ ward, handle, inARow: 0, lastStartAt: Date.now(), busy: false });
    this.timer ??= setInterval(() => this.look(), LOOK_EVERY_MS);
  }

  /** After this nothing is started any more. */
  stop(): void {
    if (this.timer !== null) clearInterval(this.timer);
    this.timer = null;
  }

  get isStopped(): boolean {
    return this.timer === null;
  }

  private look(): void {
    for (const entry of this.watched) {
      if (entry.busy || isRunning(entry.handle)) continue;
      entry.busy = true;
      this.revive(entry, countDeath(entry, Date.now()));
    }
  }

  private revive(entry: Watched, deaths: number): void {
    entry.inARow = deaths;
    const wait = backOffMs(deaths);
    this.say(`${entry.ward.name} (process ${entry.handle.pid}) ended: starting it again in ${wait / 1000} s`);
    setTimeout(() => void this.restart(entry), wait);
  }

  private async restart(entry: Watched): Promise<void> {
    if (this.isStopped) return;
    entry.lastStartAt = Date.now();
    try {
      entry.handle = await entry.ward.restart();
      entry.busy = false;
      this.say(`${entry.ward.name} runs again (process ${entry.handle.pid})`);
    } catch (error) {
      if (this.isStopped) return;
      this.say(`${entry.ward.name} does not start: ${(error as Error).message.split('\n')[0]}`);
      this.revive(entry, entry.inARow + 1);
    }
  }
}
