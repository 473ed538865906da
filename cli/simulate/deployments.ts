import type { Backoff } from './backoff.js';
import { Absent, type DeviceClient, Refused } from './device-client.js';
import type { Figures } from './figures.js';
import type { CommandEnd } from './known-commands.js';
import { pause } from './pause-and-repeat.js';
import type { Random } from './random.js';
import type { DeliveredCommand } from './simulation.types.js';
import { VersionDownload, type WantedVersion } from './version-download.js';

/** Devices that check what they downloaded, every so many: a hash of each download would be most of the load. */
const CHECKED_EVERY = 4;
/** A step of an installation takes at most so long, in seconds. */
const LONGEST_STEP_S = 1.5;

export interface DeploymentParts {
  readonly client: DeviceClient;
  readonly figures: Figures;
  readonly random: Random;
  /** Number of the device, from 0 on. */
  readonly index: number;
  /** Share that fails, 0 to 1. */
  readonly failShare: number;
}

interface Active {
  readonly name: string;
  readonly version: number;
}

type Report = (result: { readonly step: Step; readonly progress: number }) => Promise<void>;
type Step = 'downloading' | 'installing' | 'verifying';

/** Installs model versions as the agent for devices does, but for the model itself. */
export class Deployments {
  active: Active | null = null;
  private readonly isChecked: boolean;

  constructor(
    private readonly parts: DeploymentParts,
    private readonly backoff: Backoff,
  ) {
    this.isChecked = parts.index % CHECKED_EVERY === 0;
  }

  /** Null: it was interrupted. @throws Refused by a token that is no longer valid */
  async carryOut(command: DeliveredCommand, signal: AbortSignal, report: Report): Promise<CommandEnd | null> {
    const { model_name: name, version, sha256 = null } = command.args;
    if (typeof name !== 'string' || typeof version !== 'number')
      return this.failed('downloading', 'the command names no model_name and version');
    const wanted = { name, version, sha256: typeof sha256 === 'string' ? sha256 : null };
    const breaksAt = this.parts.random.next() < this.parts.failShare ? this.anyStep() : null;
    for (const step of STEPS) {
      await report({ step, progress: 0 });
      if (step === breaksAt) return this.failed(step, 'the simulated device fails here');
      const problem =
        step === 'downloading' ? await this.download(wanted, signal, report) : await this.pretend(signal);
      if (signal.aborted) return null;
      if (problem !== null) return this.failed(step, problem);
    }
    this.active = { name, version };
    this.parts.figures.deployments.succeeded += 1;
    return { status: 'succeeded', result: { model_name: name, version } };
  }

  private anyStep(): Step {
    return STEPS[Math.floor(this.parts.random.next() * STEPS.length)] as Step;
  }

  private failed(step: Step, message: string): CommandEnd {
    this.parts.figures.deployments.failed += 1;
    return { status: 'failed', result: { step, message } };
  }

  private async pretend(signal: AbortSignal): Promise<null> {
    await pause(this.parts.random.between(0, LONGEST_STEP_S), signal);
    return null;
  }

  /** Again where it was cut off. @returns what is wrong with it, null when nothing is */
  private async download(wanted: WantedVersion, signal: AbortSignal, report: Report): Promise<string | null> {
    const { client, figures } = this.parts;
    const files = new VersionDownload(client, figures, wanted, this.isChecked);
    while (!signal.aborted) {
      try {
        const problem = await files.fetch(signal);
        this.backoff.success();
        await report({ step: 'downloading', progress: 1 });
        return problem;
      } catch (error) {
        if (error instanceof Refused && error.status !== 401) return error.message;
        if (!(error instanceof Absent)) throw error;
        if (!signal.aborted) figures.retries += 1;
        await this.backoff.wait(error.retryAfterS, signal);
      }
    }
    return null;
  }
}

const STEPS = ['downloading', 'installing', 'verifying'] as const;
