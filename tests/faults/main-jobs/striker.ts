import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { SupervisedPlatform } from '../../setup/supervised-platform.js';
import { type Moment, onDisk, shownOf, type Struck } from './moments.js';
import type { Disturbance } from './patient-client.js';
import { end } from './processes.js';

/** One kill at a stated moment of a training. */
export interface Strike {
  readonly struck: Struck;
  readonly moment: string;
  /** Whether it was that moment when the process died; `missed` where the training had ended before. */
  readonly hit: 'at it' | 'just after it' | 'missed';
}

const ENDS = new Set(['SUCCEEDED', 'FAILED', 'CANCELED']);
const BACK_WITHIN_MS = 60_000;
/** The supervisor waits longer after each death of its worker: a new one begins with the shortest wait. */
const DEATHS_IN_A_ROW = 4;
/** What the API shows changes seldom beside what lies on the disk. */
const LOOKS_AT_DISK = 10;

/** Waits for a stated moment of a training, and kills there. */
export class Striker {
  readonly strikes: Strike[] = [];
  private deaths = 0;

  constructor(
    private readonly platform: SupervisedPlatform,
    private readonly owner: pg.Client,
    private readonly disturbance: Disturbance,
    private readonly say: (text: string) => void,
  ) {}

  hasHit(struck: Struck, moment: Moment): boolean {
    return this.strikes.some(
      (strike) => strike.struck === struck && strike.moment === moment.name && strike.hit === 'at it',
    );
  }

  /** @param name of the training, which need not be there yet */
  async strike(name: string, struck: Struck, moment: Moment): Promise<void> {
    if (struck === 'worker') await this.untilWorkerRuns();
    const id = await this.untilIt(name, moment);
    const hit =
      id === null
        ? 'missed'
        : struck === 'worker'
          ? await this.killWorker(name, id, moment)
          : this.killTrainer(id, struck, moment);
    this.disturbance.lastAt = Date.now();
    this.strikes.push({ struck, moment: moment.name, hit });
    this.say(`strike ${this.strikes.length}: ${struck}, ${moment.name}: ${hit}`);
  }

  /** Starts the supervisor again after some deaths of its worker. */
  async calm(): Promise<void> {
    if (this.deaths < DEATHS_IN_A_ROW) return;
    this.deaths = 0;
    await this.platform.killSupervisor();
    this.platform.begin();
    await this.platform.ready();
    this.disturbance.lastAt = Date.now();
  }

  /** @returns the id of the training, or null where it has ended without it */
  private async untilIt(name: string, { shows, lies }: Moment): Promise<string | null> {
    for (;;) {
      const shown = await shownOf(this.owner, name);
      if (shown !== null) {
        const mayBe = shows === undefined || shows(shown);
        if (mayBe && lies === undefined) return shown.id;
        for (let left = mayBe ? LOOKS_AT_DISK : 0; left > 0; left -= 1, await sleep(1))
          if (lies?.(onDisk(this.platform.workloads(), shown.id)) === true) return shown.id;
        if (ENDS.has(shown.status)) return null;
      }
      await sleep(1);
    }
  }

  private async killWorker(name: string, id: string, { shows, lies }: Moment): Promise<Strike['hit']> {
    const pid = this.platform.pidOf('worker');
    if (pid === null || !end(pid)) return 'missed';
    this.deaths += 1;
    // The job goes on without a worker, so that is looked at first.
    const stillLies = lies === undefined || lies(onDisk(this.platform.workloads(), id));
    const shown = shows === undefined ? null : await shownOf(this.owner, name);
    return stillLies && (shown === null || shows?.(shown) === true) ? 'at it' : 'just after it';
  }

  private killTrainer(id: string, struck: 'trainer' | 'shim', { lies }: Moment): Strike['hit'] {
    const training = onDisk(this.platform.workloads(), id);
    const { program } = training;
    if (program === null || !end(struck === 'shim' ? program.shim : program.pid)) return 'missed';
    return lies?.(training) === true ? 'at it' : 'just after it';
  }

  private async untilWorkerRuns(): Promise<void> {
    for (const until = Date.now() + BACK_WITHIN_MS; !this.platform.isRunning('worker'); await sleep(20))
      if (Date.now() > until) throw new Error('the worker has not come back');
  }
}
