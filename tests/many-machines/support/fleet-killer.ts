import { setTimeout as sleep } from 'node:timers/promises';
import type { Disturbance } from '../../faults/main-jobs/patient-client.js';
import type { Random } from '../../faults/main-jobs/random.js';
import { end } from '../../faults/main-jobs/processes.js';
import { type Fleet, type Part, PARTS } from './fleet.js';

const VICTIMS = [...(Object.keys(PARTS) as Part[]), 'trainer'] as const;
const LONGEST_PAUSE_MS = 5000;
/** A part is started again by its machine after up to this long. */
const LONGEST_ABSENCE_MS = 3000;
/** A training process is waited for as long, then somebody else is killed first. */
const TRAINER_WITHIN_MS = 20_000;
const POLL_MS = 20;

/** Kills parts of an installation at random moments; their machines start them again. */
export class FleetKiller implements Disturbance {
  lastAt = Date.now();
  readonly kills: string[] = [];
  private readonly trainersKilled = new Set<string>();
  private readonly restarts: Array<Promise<void>> = [];

  constructor(
    private readonly fleet: Fleet,
    private readonly random: Random,
    private readonly say: (text: string) => void,
  ) {}

  hasKilledTrainer(experimentId: string): boolean {
    return this.trainersKilled.has(experimentId);
  }

  /** As many of each kind as of every other, in an order of the seed's choosing. All run again when it returns. */
  async run(count: number): Promise<void> {
    const waiting = this.random.shuffled(
      Array.from({ length: count }, (_, index) => VICTIMS[index % VICTIMS.length] as Part | 'trainer'),
    );
    while (waiting.length > 0) {
      await sleep(this.random.between(0, LONGEST_PAUSE_MS));
      const victim = waiting.shift() as Part | 'trainer';
      if (victim !== 'trainer') await this.killPart(victim);
      else if (!(await this.killTrainer())) waiting.splice(Math.min(waiting.length, 2), 0, victim);
    }
    await Promise.all(this.restarts);
    this.lastAt = Date.now();
  }

  private async killPart(part: Part): Promise<void> {
    while (!this.fleet.isRunning(part)) await sleep(POLL_MS);
    await this.fleet.kill(part);
    this.note(part);
    this.restarts.push(
      sleep(this.random.between(0, LONGEST_ABSENCE_MS)).then(() => {
        this.fleet.begin(part);
        this.lastAt = Date.now();
      }),
    );
  }

  /** @returns false when none ran */
  private async killTrainer(): Promise<boolean> {
    for (let left = TRAINER_WITHIN_MS / POLL_MS; left > 0; left -= 1) {
      if (this.fleet.trainers().length > 0) break;
      await sleep(POLL_MS);
    }
    const [trainer] = this.random.shuffled(this.fleet.trainers());
    if (trainer === undefined) return false;
    this.trainersKilled.add(trainer.experimentId);
    if (!end(trainer.pid)) {
      this.trainersKilled.delete(trainer.experimentId);
      return false;
    }
    this.note(`trainer of ${trainer.experimentId}`);
    return true;
  }

  private note(what: string): void {
    this.lastAt = Date.now();
    this.kills.push(what);
    this.say(`kill ${this.kills.length}: ${what}`);
  }
}
