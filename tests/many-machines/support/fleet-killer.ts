import { setTimeout as sleep } from 'node:timers/promises';
import type { Disturbance } from '../../faults/main-jobs/patient-client.js';
import type { Random } from '../../../cli/simulate/random.js';
import { end } from '../../faults/main-jobs/processes.js';
import { IS_FULL_RUN } from '../../faults/support/kills.js';
import { type Engine, type Fleet, type Part, PARTS } from './fleet.js';

const ENGINES = ['postgres', 'temporal', 'object store'] as const satisfies readonly Engine[];
export const VICTIMS = [
  ...(Object.keys(PARTS) as Part[]),
  ...(['trainer', 'server', 'pooler'] as const),
  ...ENGINES,
] as const;
type Victim = (typeof VICTIMS)[number];
const isEngine = (victim: Victim): victim is Engine => ENGINES.some((engine) => engine === victim);
const LONGEST_PAUSE_MS = 3000;
/** A part is started again by its machine after up to this long. */
const LONGEST_ABSENCE_MS = 3000;
const OUTAGE_MS = IS_FULL_RUN ? 10_000 : 5000;
/** A process that trains or serves is waited for as long, then somebody else is killed first. */
const WORKLOAD_WITHIN_MS = 20_000;
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
      Array.from({ length: count }, (_, index) => VICTIMS[index % VICTIMS.length] as Victim),
    );
    while (waiting.length > 0) {
      await sleep(this.random.between(0, LONGEST_PAUSE_MS));
      const victim = waiting.shift() as Victim;
      if (!(await this.kill(victim))) waiting.splice(Math.min(waiting.length, 2), 0, victim);
    }
    await Promise.all(this.restarts);
    this.lastAt = Date.now();
  }

  /** @returns false when there was none, or none any more */
  private async kill(victim: Victim): Promise<boolean> {
    if (victim === 'trainer') return this.killTrainer();
    if (victim === 'server') return this.killServer();
    if (victim === 'pooler') return this.killPooler();
    if (isEngine(victim)) await this.stopEngine(victim);
    else await this.killPart(victim);
    return true;
  }

  /** Nobody else is hit meanwhile: what begins without an engine ends again, and nobody here would begin it once more. */
  private async stopEngine(engine: Engine): Promise<void> {
    await Promise.all(this.restarts);
    await this.fleet.ready();
    this.note(engine);
    await this.fleet.withoutEngine(engine, OUTAGE_MS);
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

  private async killTrainer(): Promise<boolean> {
    const trainer = await this.oneOf(() => this.fleet.trainers());
    if (trainer === undefined) return false;
    this.trainersKilled.add(trainer.experimentId);
    if (!end(trainer.pid)) {
      this.trainersKilled.delete(trainer.experimentId);
      return false;
    }
    this.note(`trainer of ${trainer.experimentId}`);
    return true;
  }

  private async killServer(): Promise<boolean> {
    const server = await this.oneOf(() => this.fleet.servers());
    if (server === undefined || !end(server.pid)) return false;
    this.note(`a server of an endpoint, ${server.pid}`);
    return true;
  }

  private killPooler(): boolean {
    if (!this.fleet.killPooler()) return false;
    this.note('pooler');
    return true;
  }

  private async oneOf<T>(running: () => readonly T[]): Promise<T | undefined> {
    for (let left = WORKLOAD_WITHIN_MS / POLL_MS; left > 0 && running().length === 0; left -= 1)
      await sleep(POLL_MS);
    return this.random.shuffled(running())[0];
  }

  private note(what: string): void {
    this.lastAt = Date.now();
    this.kills.push(what);
    this.say(`kill ${this.kills.length}: ${what}`);
  }
}
