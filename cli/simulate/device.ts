import { setMaxListeners } from 'node:events';
import { Backoff } from './backoff.js';
import { BatchSource } from './batches.js';
import { CommandLoop } from './command-loop.js';
import type { Deliveries } from './deliveries.js';
import { Deployments } from './deployments.js';
import { DeviceClient, Refused } from './device-client.js';
import { DeviceClock } from './device-clock.js';
import { DevicePolicy } from './device-policy.js';
import { Connections } from './exchange.js';
import type { Figures } from './figures.js';
import { Heartbeats } from './heartbeats.js';
import { pause, repeatEvery } from './pause-and-repeat.js';
import { Random } from './random.js';
import { RecordSender } from './record-sender.js';
import type { RecordKind, SimulationLedger, SimulationOptions } from './simulation.types.js';
import { UploadSender } from './upload-sender.js';

export interface DeviceFacts {
  readonly id: string;
  readonly token: string;
  /** From 0 on; some devices do more than others by it. */
  readonly index: number;
  /** Shared by all devices of a platform. */
  readonly deliveries: Deliveries;
}

/** `away`: it has no network. `refused`: the platform does not take its token any more. */
type DeviceState = 'registering' | 'active' | 'away' | 'refused' | 'ended';

/** Every third device has a wrong clock, every tenth sends pictures, where that is asked for. */
const SKEWED_EVERY = 3;
const UPLOADING_EVERY = 10;
/** Seconds between two pictures. */
const PICTURE_EVERY_S = 60;
/** Records of a batch at most: what a device gathers in an interval is less than what it may send. */
const MOST_RECORDS = 50;
/** Seconds for which a device that flaps stays, and stays away. */
const STAYS_S = [10, 40] as const;
const AWAY_S = [1, 15] as const;
/** Devices that come in a second when a fleet begins. */
const COMING_A_SECOND = 100;
/** Share of last words about commands that a device sends again, where it does so. */
const DOUBLED_SHARE = 0.2;

/** One device of the field: what it does side by side, between a registration and the next loss of its network. */
export class SimulatedDevice {
  private state: DeviceState = 'registering';
  private hasCome = false;
  private readonly random: Random;
  private readonly connections: Connections;
  private readonly policy: DevicePolicy;
  private readonly heartbeats: Heartbeats;
  private readonly commands: CommandLoop;
  private readonly uploads: UploadSender;
  private readonly senders: Readonly<Record<RecordKind, RecordSender>>;

  constructor(
    private readonly facts: DeviceFacts,
    private readonly options: SimulationOptions,
    private readonly figures: Figures,
    ledger: SimulationLedger,
  ) {
    const { id, token, index, deliveries } = facts;
    const { misbehave, failDeploys, intervalS } = options;
    const random = new Random(options.seed + index * 7919);
    this.random = random;
    this.connections = new Connections(options.url);
    const client = new DeviceClient(id, token, this.connections, figures);
    const clock = new DeviceClock(random, misbehave.has('skew') && index % SKEWED_EVERY === 1);
    const shared = { device: id, client, figures, ledger, random };
    const senderOf = (kind: RecordKind) =>
      new RecordSender({ ...shared, misbehave }, new BatchSource(id, kind, random, clock), this.backoff());
    this.senders = { telemetry: senderOf('telemetry'), inference: senderOf('inference') };
    const policy = new DevicePolicy(client, intervalS);
    this.policy = policy;
    const deployments = new Deployments({ ...shared, index, failShare: failDeploys }, this.backoff());
    this.heartbeats = new Heartbeats({ ...shared, policy, deployments }, this.backoff());
    this.uploads = new UploadSender(shared, this.backoff());
    const isDoubled = () => misbehave.has('resend') && random.next() < DOUBLED_SHARE;
    this.commands = new CommandLoop(
      { ...shared, policy, deliveries, deployments, isDoubled },
      this.backoff(),
    );
  }

  /** Until the signal is aborted, or its token is no longer taken. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !this.isRefused) {
      const session = new AbortController();
      const leave = () => session.abort();
      signal.addEventListener('abort', leave, { once: true });
      try {
        await this.live(session);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        this.enter('refused');
        this.figures.refused += 1;
      } finally {
        session.abort();
        signal.removeEventListener('abort', leave);
        this.connections.close();
      }
      if (!this.isRefused) await this.stayAway(signal);
    }
    if (!this.isRefused) this.enter('ended');
  }

  private get isRefused(): boolean {
    return this.state === 'refused';
  }

  private backoff(): Backoff {
    return new Backoff(this.random, this.options.longestPauseS);
  }

  private enter(state: DeviceState): void {
    if (this.state === 'active') this.figures.active -= 1;
    if (state === 'active') this.figures.active += 1;
    this.state = state;
  }

  private async stayAway(signal: AbortSignal): Promise<void> {
    this.enter('away');
    await pause(this.random.between(...AWAY_S), signal);
  }

  /** Everything that it does at the same time; whatever ends first ends all of it. @throws Refused */
  private async live(session: AbortController): Promise<void> {
    const { signal } = session;
    // Each activity waits for the end, twice while it asks.
    setMaxListeners(30, signal);
    const { policy, random } = this;
    this.enter('registering');
    // Not all of a fleet in the same moment.
    if (!this.hasCome) await pause(random.between(0, this.options.count / COMING_A_SECOND), signal);
    this.hasCome = true;
    await policy.register(this.backoff(), signal, () => (this.figures.retries += 1));
    if (signal.aborted) return;
    this.enter('active');
    const again = (interval: () => number, work: () => Promise<void>) =>
      repeatEvery(interval, random, signal, work);
    const batches = (kind: RecordKind) =>
      again(
        () => policy.batchIntervalS,
        () => this.sendRecords(kind, signal),
      );
    const activities = [
      again(
        () => policy.heartbeatIntervalS,
        () => this.heartbeats.beat(signal),
      ),
      batches('telemetry'),
      batches('inference'),
      this.commands.run(signal),
    ];
    if (this.facts.index % UPLOADING_EVERY === 0)
      activities.push(
        again(
          () => PICTURE_EVERY_S,
          () => this.uploads.send(signal),
        ),
      );
    if (this.options.misbehave.has('flap')) activities.push(pause(random.between(...STAYS_S), signal));
    const ends = await Promise.allSettled(activities.map((one) => one.finally(() => session.abort())));
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed) throw failed.reason;
  }

  private sendRecords(kind: RecordKind, signal: AbortSignal): Promise<void> {
    const most = Math.min(MOST_RECORDS, this.policy.batchSize);
    return this.senders[kind].send(1 + Math.floor(this.random.next() * most), signal);
  }
}
