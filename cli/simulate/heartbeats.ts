import type { Backoff } from './backoff.js';
import type { Deployments } from './deployments.js';
import { Absent, type DeviceClient } from './device-client.js';
import type { DevicePolicy } from './device-policy.js';
import type { Figures } from './figures.js';
import type { Random } from './random.js';
import type { SimulationLedger } from './simulation.types.js';

export interface HeartbeatParts {
  readonly device: string;
  readonly client: DeviceClient;
  readonly figures: Figures;
  readonly ledger: SimulationLedger;
  readonly random: Random;
  readonly policy: DevicePolicy;
  readonly deployments: Deployments;
}

interface HeartbeatAnswer {
  /** That the platform has for the device. */
  readonly policy_revision?: number;
}

/** Numbered heartbeats. One that is lost is not sent again: the next one says more. */
export class Heartbeats {
  private count = 0;

  constructor(
    private readonly parts: HeartbeatParts,
    private readonly backoff: Backoff,
  ) {}

  /** @throws Refused */
  async beat(signal: AbortSignal): Promise<void> {
    const { client, device, figures, ledger, policy } = this.parts;
    this.count += 1;
    const number = this.count;
    try {
      const { body } = await client.call<HeartbeatAnswer>({
        ...{ name: 'heartbeat', method: 'POST', path: '/heartbeat', signal },
        json: this.body(number),
      });
      this.backoff.success();
      figures.heartbeats += 1;
      ledger.beat(device, number);
      await policy.follow(body.policy_revision, signal);
    } catch (error) {
      if (!(error instanceof Absent)) throw error;
      await this.backoff.wait(error.retryAfterS, signal);
    }
  }

  private body(number: number): object {
    const { random, policy, deployments } = this.parts;
    const { active } = deployments;
    const containers =
      active === null
        ? []
        : [{ name: active.name, image: `${active.name}:${active.version}`, status: 'running' }];
    return {
      cpu: Math.round(random.between(5, 95)),
      mem: Math.round(random.between(20, 80)),
      disk: Math.round(random.between(30, 50)),
      policy_revision: policy.revision,
      payload: { number, containers },
    };
  }
}
