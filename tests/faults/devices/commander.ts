import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../../cli/simulate/random.js';
import { LostAnswer, type PlatformClient } from '../../setup/platform-client.js';
import type { StormLedger } from './storm-ledger.js';

/** Seconds; null: never. Short ones run out while devices are away or parts are down. */
const EXPIRIES = [null, null, 1, 2, 4, 8, 30] as const;
const PAUSE_MS = 150;

/** An operator who gives commands to devices all the time. */
export class Commander {
  constructor(
    private readonly client: PlatformClient,
    private readonly devices: readonly string[],
    private readonly ledger: StormLedger,
    private readonly random: Random,
  ) {}

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.give();
      await sleep(PAUSE_MS);
    }
  }

  private async give(): Promise<void> {
    const [device] = this.random.shuffled(this.devices);
    const [expires_in_s] = this.random.shuffled(EXPIRIES);
    const json = { ...this.command(), expires_in_s };
    try {
      const answer = await this.client.call('POST', `/api/v1/edge/devices/${device}/commands`, { json });
      if (answer.status === 201) this.ledger.commands.add(answer.body.id as string);
      else if (answer.status < 500) throw new Error(`a command was answered ${answer.status}`);
    } catch (error) {
      if (!(error instanceof LostAnswer)) throw error;
    }
  }

  private command(): { type: string; args: object } {
    return this.random.next() < 0.5
      ? { type: 'refresh_config', args: {} }
      : { type: 'count', args: { by: 1 } };
  }
}
