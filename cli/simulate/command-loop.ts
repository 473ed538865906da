import type { Backoff } from './backoff.js';
import { Absent, type DeviceClient, Refused } from './device-client.js';
import type { Deliveries } from './deliveries.js';
import type { Deployments } from './deployments.js';
import type { DevicePolicy } from './device-policy.js';
import type { Figures } from './figures.js';
import { type AckStatus, type CommandEnd, KnownCommands, lifeOf } from './known-commands.js';
import type { DeliveredCommand, SimulationLedger } from './simulation.types.js';

/** Seconds that the platform holds a poll when there is nothing to do. */
const WAIT_S = 50;

export interface CommandParts {
  readonly device: string;
  readonly client: DeviceClient;
  readonly figures: Figures;
  readonly ledger: SimulationLedger;
  readonly deployments: Deployments;
  readonly policy: DevicePolicy;
  readonly deliveries: Deliveries;
  /** True: the last word about a command is said twice. */
  readonly isDoubled: () => boolean;
}

interface AckAnswer {
  readonly state: string;
  readonly finished_at: string | null;
}

/** Fetches commands by held polls and carries each out once, whatever is cut off in between. */
export class CommandLoop {
  private readonly known = new KnownCommands();

  constructor(
    private readonly parts: CommandParts,
    private readonly backoff: Backoff,
  ) {}

  /** Until the signal is aborted. @throws Refused by a token that is no longer valid */
  async run(signal: AbortSignal): Promise<void> {
    for (const [id, end] of this.known.unacknowledged) await this.acknowledge(id, end, signal);
    while (!signal.aborted) {
      const delivered = (await this.poll(signal)).map(
        (command) => [command, this.parts.deliveries.momentOf(command)] as const,
      );
      for (const [command, moment] of delivered) await this.handle(command, moment, signal);
    }
  }

  private async poll(signal: AbortSignal): Promise<readonly DeliveredCommand[]> {
    try {
      const { body } = await this.parts.client.call<{ items: DeliveredCommand[] }>({
        ...{ name: 'poll', method: 'GET', path: `/commands?wait=${WAIT_S}`, signal },
        idleMs: (WAIT_S + 30) * 1000,
      });
      this.backoff.success();
      return body.items;
    } catch (error) {
      if (!(error instanceof Absent)) throw error;
      await this.backoff.wait(error.retryAfterS, signal);
      return [];
    }
  }

  /** @param moment of its delivery, by the clock of this process */
  private async handle(command: DeliveredCommand, moment: number, signal: AbortSignal): Promise<void> {
    const { device, figures, ledger } = this.parts;
    const breach = this.known.breachOf(command);
    if (breach !== null) figures.breach(`${breach} (${device})`);
    this.known.renewLease(command.id, Date.parse(command.lease_until));
    const before = this.known.endOf(command.id);
    if (before !== null) return this.acknowledge(command.id, before, signal);
    // Its answer may have been long on its way, or others stood before it: the platform ends it, and asks again by itself.
    if (performance.now() - moment >= lifeOf(command)) return;
    if (this.known.begin(command.id)) ledger.effect(device, command.id, Date.now());
    const end = await this.carryOut(command, signal);
    if (end === null) return;
    figures.commands += 1;
    this.known.carriedOut(command.id, end);
    await this.acknowledge(command.id, end, signal);
  }

  /** Null: it was interrupted, and the platform will deliver it again. */
  private async carryOut(command: DeliveredCommand, signal: AbortSignal): Promise<CommandEnd | null> {
    const { deployments, policy } = this.parts;
    if (command.type === 'deploy')
      return deployments.carryOut(command, signal, (result) => this.progress(command.id, result, signal));
    if (command.type !== 'refresh_config') return { status: 'succeeded', result: { message: 'done' } };
    try {
      return { status: 'succeeded', result: { revision: await policy.refresh(signal) } };
    } catch (error) {
      return { status: 'failed', result: { message: (error as Error).message } };
    }
  }

  /** May fail to arrive: only ends count. */
  private async progress(id: string, result: object, signal: AbortSignal): Promise<void> {
    try {
      await this.say(id, 'running', result, signal);
    } catch (error) {
      if (!(error instanceof Absent || error instanceof Refused)) throw error;
    }
  }

  private async acknowledge(id: string, end: CommandEnd, signal: AbortSignal): Promise<void> {
    const { device, figures, ledger, isDoubled } = this.parts;
    while (!signal.aborted) {
      try {
        const first = await this.say(id, end.status, end.result, signal);
        this.backoff.success();
        this.known.acknowledged(id);
        ledger.ended(device, id, end.status);
        if (first.state !== end.status)
          figures.breach(`the command ${id} is ${first.state} after ${device} has said ${end.status}`);
        if (isDoubled()) await this.sayAgain(id, end, first, signal);
        return;
      } catch (error) {
        if (error instanceof Refused && error.status !== 401) return this.known.acknowledged(id);
        if (!(error instanceof Absent)) throw error;
        if (!signal.aborted) figures.retries += 1;
        await this.backoff.wait(error.retryAfterS, signal);
      }
    }
  }

  private async sayAgain(id: string, end: CommandEnd, first: AckAnswer, signal: AbortSignal): Promise<void> {
    const other = end.status === 'succeeded' ? 'failed' : 'succeeded';
    const second = await this.say(id, other, {}, signal).catch((error: unknown) => {
      if (error instanceof Absent) return first;
      throw error;
    });
    if (second.state !== first.state || second.finished_at !== first.finished_at)
      this.parts.figures.breach(`a second word about the command ${id} has changed its end`);
  }

  private async say(id: string, status: AckStatus, result: object, signal: AbortSignal): Promise<AckAnswer> {
    const { body } = await this.parts.client.call<AckAnswer>({
      ...{ name: 'acknowledge', method: 'POST', path: `/commands/${id}:ack`, signal },
      json: { status, result },
      // It may have expired on its way back.
      mayRefuse: [409],
    });
    return body;
  }
}
