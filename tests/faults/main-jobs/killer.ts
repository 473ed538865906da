import { setTimeout as sleep } from 'node:timers/promises';
import type { SupervisedPlatform } from '../../setup/supervised-platform.js';
import type { Disturbance } from './patient-client.js';
import { end, trainersOf } from './processes.js';
import type { Random } from '../../../cli/simulate/random.js';

export const VICTIMS = ['api', 'worker', 'trainer', 'supervisor'] as const;
export type Victim = (typeof VICTIMS)[number];

export interface Kill {
  readonly victim: Victim;
  readonly pid: number;
  /** Seconds after the first. */
  readonly atS: number;
  /** What else is worth knowing of the moment. */
  readonly note: string;
}

const LONGEST_PAUSE_MS = 5_000;
/** A training process is waited for as long, then somebody else is killed first. */
const TRAINER_WITHIN_MS = 20_000;
const POLL_MS = 20;

/** Kills parts of a platform at random moments, and starts it again as its owner would when its supervisor was hit. */
export class Killer implements Disturbance {
  lastAt = Date.now();
  readonly kills: Kill[] = [];
  private readonly trainersKilled = new Set<string>();
  private startedAt = 0;

  constructor(
    private readonly platform: SupervisedPlatform,
    private readonly random: Random,
    private readonly say: (text: string) => void,
  ) {}

  hasKilledTrainer(experimentId: string): boolean {
    return this.trainersKilled.has(experimentId);
  }

  /** As many of each kind as of every other, in an order of the seed's choosing. */
  async run(count: number, signal: AbortSignal): Promise<void> {
    this.startedAt = Date.now();
    const waiting = this.random.shuffled(
      Array.from({ length: count }, (_, index) => VICTIMS[index % VICTIMS.length] as Victim),
    );
    while (waiting.length > 0 && !signal.aborted) {
      await sleep(this.random.between(0, LONGEST_PAUSE_MS));
      const victim = waiting.shift() as Victim;
      if (!(await this.kill(victim, signal))) waiting.splice(Math.min(waiting.length, 2), 0, victim);
    }
  }

  /** @returns false when there was nobody to kill */
  private async kill(victim: Victim, signal: AbortSignal): Promise<boolean> {
    if (victim === 'supervisor') return this.killSupervisor();
    if (victim === 'trainer') return this.killTrainer(signal);
    // It may be down from the kill before, and the supervisor waits longer each time before it starts it again.
    for (let left = 40_000 / POLL_MS; left > 0 && !this.platform.isRunning(victim); left -= 1)
      await sleep(POLL_MS);
    const pid = this.platform.pidOf(victim);
    if (pid === null || !end(pid)) return false;
    this.note(victim, pid, '');
    await this.until(() => this.platform.pidOf(victim) !== pid && this.platform.isRunning(victim));
    return true;
  }

  private async killTrainer(signal: AbortSignal): Promise<boolean> {
    for (let left = TRAINER_WITHIN_MS / POLL_MS; left > 0 && !signal.aborted; left -= 1) {
      if (trainersOf(this.platform.workloads()).length > 0) break;
      await sleep(POLL_MS);
    }
    await sleep(this.random.between(0, 2_500));
    const [trainer] = this.random.shuffled(trainersOf(this.platform.workloads()));
    if (trainer === undefined) return false;
    // Every fourth time the process that looks after it dies instead, and takes it along.
    const isShim = this.random.next() < 0.25;
    this.trainersKilled.add(trainer.experimentId);
    const pid = isShim ? trainer.shim : trainer.pid;
    if (!end(pid)) return false;
    this.note(
      'trainer',
      pid,
      `${isShim ? 'the shim of ' : ''}${trainer.command.split('/').at(-1)?.slice(0, 40)} of ${trainer.experimentId}`,
    );
    return true;
  }

  private async killSupervisor(): Promise<boolean> {
    const { supervisorPid } = this.platform;
    await this.platform.killSupervisor();
    this.note('supervisor', supervisorPid, '');
    await sleep(this.random.between(0, 1_500));
    this.platform.begin();
    await this.platform.ready();
    this.lastAt = Date.now();
    return true;
  }

  /** Waits for the part to be there again half the time, so that others die while it is away the other half. */
  private async until(isBack: () => boolean): Promise<void> {
    if (this.random.next() < 0.5) return;
    for (let left = 60_000 / POLL_MS; left > 0 && !isBack(); left -= 1) await sleep(POLL_MS);
    this.lastAt = Date.now();
  }

  private note(victim: Victim, pid: number, note: string): void {
    this.lastAt = Date.now();
    const kill = { victim, pid, atS: Math.round((Date.now() - this.startedAt) / 100) / 10, note };
    this.kills.push(kill);
    this.say(`kill ${this.kills.length}: ${victim} (process ${pid}) after ${kill.atS} s ${note}`);
  }
}
