import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../../cli/simulate/random.js';
import type { PlatformClient } from '../../setup/platform-client.js';
import { askOnce } from './intervener.js';
import type { StormLedger } from './storm-ledger.js';

const PAUSE_MS = 700;
const MOST_DEVICES = 20;
const STEERED = ['pause', 'resume', 'abort', 'rollback', 'retry-failed'] as const;

/** An operator who deploys versions of a model to some devices all the time, and pauses, aborts and rolls back as it comes. */
export class Deployer {
  constructor(
    private readonly client: PlatformClient,
    private readonly devices: readonly string[],
    private readonly model: { readonly name: string; readonly versions: readonly number[] },
    private readonly ledger: StormLedger,
    private readonly random: Random,
  ) {}

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await (this.random.next() < 0.6 ? this.deploy() : this.steer());
      await sleep(PAUSE_MS);
    }
    await this.resumeAll();
  }

  private async deploy(): Promise<void> {
    const [version] = this.random.shuffled(this.model.versions);
    const error_threshold = this.random.next() < 0.5 ? 100 : 20;
    const answer = await this.ask('POST', '/api/v1/deployments', {
      ...{ model_name: this.model.name, version },
      targets: { ids: this.random.shuffled(this.devices).slice(0, MOST_DEVICES) },
      groups: [{ size: 3, error_threshold }, { error_threshold }],
    });
    if (answer?.status === 201) this.ledger.deployments.add(answer.body.id as string);
    else if (answer && answer.status !== 409 && answer.status < 500)
      throw new Error(`a deployment was answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  }

  private async steer(): Promise<void> {
    const [id] = this.random.shuffled([...this.ledger.deployments]);
    const [what] = this.random.shuffled(STEERED);
    if (id !== undefined) await this.ask('POST', `/api/v1/deployments/${id}/${what}`);
  }

  /** Nothing comes to rest while it is paused. */
  private async resumeAll(): Promise<void> {
    for (let left = 60; left > 0; left -= 1) {
      const answer = await this.ask('GET', '/api/v1/deployments?status=PAUSED&page_size=200');
      if (answer?.status === 200 && answer.body.items.length === 0) return;
      for (const { id } of answer?.status === 200 ? answer.body.items : [])
        await this.ask('POST', `/api/v1/deployments/${id}/resume`);
      await sleep(1000);
    }
  }

  private ask(method: string, path: string, json?: object) {
    return askOnce(this.client, method, path, json);
  }
}
