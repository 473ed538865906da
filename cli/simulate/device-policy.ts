import type { Backoff } from './backoff.js';
import { Absent, type DeviceClient } from './device-client.js';

interface Policy {
  readonly revision: number;
  readonly heartbeat_interval_s: number;
  readonly sync: { readonly interval_s: number; readonly batch_size: number };
}

/** What the platform says until a device has come. */
const BEFORE: Policy = { revision: 0, heartbeat_interval_s: 30, sync: { interval_s: 60, batch_size: 500 } };

/** The policy that the platform gives a device, which it follows but for an interval that was asked for. */
export class DevicePolicy {
  private policy = BEFORE;
  /** The last revision that was read because a heartbeat's answer stated it. */
  private statedRevision = 0;

  constructor(
    private readonly client: DeviceClient,
    /** Seconds; null: those of the policy. */
    private readonly intervalS: number | null,
  ) {}

  get revision(): number {
    return this.policy.revision;
  }

  get heartbeatIntervalS(): number {
    return this.intervalS ?? this.policy.heartbeat_interval_s;
  }

  get batchIntervalS(): number {
    return this.intervalS ?? this.policy.sync.interval_s;
  }

  get batchSize(): number {
    return this.policy.sync.batch_size;
  }

  /** Says that the device is there; tries until the signal is aborted. @param onRetry called before each further try @throws Refused */
  async register(backoff: Backoff, signal: AbortSignal, onRetry: () => void): Promise<void> {
    while (!signal.aborted) {
      try {
        const { body } = await this.client.call<{ config: Policy }>({
          ...{ name: 'register', method: 'POST', path: '/register', signal },
          json: { os: 'simulated', sdk_version: 'simulate-devices' },
        });
        this.policy = body.config;
        backoff.success();
        return;
      } catch (error) {
        if (!(error instanceof Absent)) throw error;
        if (!signal.aborted) onRetry();
        await backoff.wait(error.retryAfterS, signal);
      }
    }
  }

  /**
   * Reads the policy where the answer to a heartbeat states another revision than the one in force, once for each: an API
   * process may state the one before for a moment. The next heartbeat reports what is in force.
   * @param stated undefined: an older platform states none
   * @throws Absent, Refused
   */
  async follow(stated: number | undefined, signal: AbortSignal): Promise<void> {
    if (stated === undefined || stated === this.revision || stated === this.statedRevision) return;
    await this.refresh(signal);
    this.statedRevision = stated;
  }

  /** @returns the revision in force @throws Absent, Refused */
  async refresh(signal: AbortSignal): Promise<number> {
    const path = `/config?applied_revision=${this.revision}`;
    this.policy = (await this.client.call<Policy>({ name: 'config', method: 'GET', path, signal })).body;
    return this.revision;
  }
}
