import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../../cli/simulate/random.js';
import type { SupervisedPlatform } from '../../setup/supervised-platform.js';
import { childrenOf, end } from '../main-jobs/processes.js';

export const STORM_VICTIMS = ['api', 'worker', 'postgres'] as const;
export type StormVictim = (typeof STORM_VICTIMS)[number];

const POLL_MS = 50;
const BACK_WITHIN_MS = 60_000;

/** Kills API, worker and PostgreSQL, as often each, at moments that are spread over the storm; the supervisor starts them again. */
export class StormKiller {
  readonly kills: StormVictim[] = [];

  constructor(
    private readonly platform: SupervisedPlatform,
    private readonly random: Random,
    private readonly say: (text: string) => void,
  ) {}

  async run(count: number, durationS: number): Promise<void> {
    const startedAt = Date.now();
    const victims = this.random.shuffled(
      Array.from({ length: count }, (_, index) => STORM_VICTIMS[index % STORM_VICTIMS.length] as StormVictim),
    );
    for (const [at, victim] of victims.entries()) {
      const due = startedAt + ((at + this.random.between(0.1, 0.9)) * durationS * 1000) / count;
      await sleep(Math.max(0, due - Date.now()));
      await this.until(() => this.platform.isRunning(victim));
      const pid = this.platform.pidOf(victim);
      if (pid === null || !end(pid)) throw new Error(`there was no ${victim} to kill`);
      this.kills.push(victim);
      this.say(`kill ${this.kills.length}: ${victim} after ${Math.round((Date.now() - startedAt) / 1000)} s`);
    }
    await sleep(Math.max(0, startedAt + durationS * 1000 - Date.now()));
  }

  /** The database goes away and stays away for so long: nobody is there to start it again. */
  async withoutDatabase(seconds: number, work: () => Promise<void>): Promise<void> {
    const { supervisorPid } = this.platform;
    const pid = this.platform.pidOf('postgres') as number;
    const backends = childrenOf(pid);
    process.kill(supervisorPid, 'SIGSTOP');
    try {
      end(pid);
      await this.until(() => backends.every((one) => !existsSync(`/proc/${one}`)));
      await sleep(seconds * 1000);
      await work();
    } finally {
      process.kill(supervisorPid, 'SIGCONT');
    }
  }

  private async until(holds: () => boolean): Promise<void> {
    for (let left = BACK_WITHIN_MS / POLL_MS; left > 0 && !holds(); left -= 1) await sleep(POLL_MS);
  }
}
