import { setTimeout as sleep } from 'node:timers/promises';
import { type ClientAnswer, LostAnswer, type PlatformClient } from '../../setup/platform-client.js';
import type { StormLedger } from './storm-ledger.js';

const AGAIN_MS = 1000;
/** The condition takes a minute of the storm, so it comes first. */
const WINDOW_AFTER_MS = 5000;
const DELETE_AFTER_MS = 30_000;
const MINUTE_MS = 60_000;
/** A window is open for at least so long; it ends with a minute. */
const OPEN_MS = 20_000;
/** Devices stay blocked for so long after their window has ended. */
const CLOSED_MS = 5000;

/** Devices that nobody else deploys to. */
export interface ReservedDevices {
  readonly conditioned: readonly string[];
  readonly windowed: readonly string[];
  readonly deleted: readonly string[];
}

/**
 * An operator whose deployments have a window or a condition that breaks, and who blocks and deletes devices amid them. Each
 * change is asked for until it is made.
 */
export class Intervener {
  constructor(
    private readonly client: PlatformClient,
    private readonly devices: ReservedDevices,
    private readonly model: { readonly name: string; readonly versions: readonly number[] },
    private readonly ledger: StormLedger,
  ) {}

  async run(): Promise<void> {
    await Promise.all([this.breakCondition(), this.closeWindow(), this.deleteAmid()]);
  }

  /** Devices of a simulation predict with a model of another name. */
  private async breakCondition(): Promise<void> {
    const id = await this.deploy(this.devices.conditioned, {
      previous_version: this.model.versions[0],
      rollback_on: [{ metric: 'requests', op: '<', value: 1, for: '1m' }],
    });
    this.ledger.conditioned.add(id);
  }

  /** Some of its devices are blocked for as long as the window is open: they never get it. */
  private async closeWindow(): Promise<void> {
    await sleep(WINDOW_AFTER_MS);
    const { windowed } = this.devices;
    const blocked = windowed.slice(0, windowed.length / 2);
    for (const device of blocked) {
      await this.block(device, true);
      this.ledger.block(device);
    }
    const [from, to] = [Date.now(), Math.ceil((Date.now() + OPEN_MS) / MINUTE_MS) * MINUTE_MS];
    const time = (at: number) => new Date(at).toISOString().slice(11, 16);
    const id = await this.deploy(windowed, { window: { from: time(from), to: time(to), tz: 'UTC' } });
    this.ledger.windows.set(id, to);
    await sleep(to + CLOSED_MS - Date.now());
    for (const device of blocked) {
      this.ledger.unblock(device);
      await this.block(device, false);
    }
    // The next window is tomorrow.
    await this.make(
      'POST',
      `/api/v1/deployments/${id}/abort`,
      ({ status }) => status === 200 || status === 409,
    );
  }

  private async deleteAmid(): Promise<void> {
    await sleep(DELETE_AFTER_MS);
    const { deleted } = this.devices;
    this.ledger.deleting.add(await this.deploy(deleted, { groups: [{ size: 1, error_threshold: 100 }, {}] }));
    // The first of them stays: a group of which nobody is left pauses the deployment.
    for (const device of deleted.slice(1)) {
      await this.make(
        'DELETE',
        `/api/v1/edge/devices/${device}`,
        ({ status }) => status < 300 || status === 404,
      );
      this.ledger.deleted.add(device);
    }
  }

  private async block(device: string, blocked: boolean): Promise<void> {
    const path = `/api/v1/edge/devices/${device}/offline`;
    await this.make('POST', path, ({ status }) => status === 200, { blocked });
  }

  /** @returns its id; that of one whose answer was lost stands in the refusal of the next */
  private async deploy(ids: readonly string[], more: object): Promise<string> {
    const json = {
      ...{ model_name: this.model.name, version: this.model.versions.at(-1), targets: { ids } },
      ...{ groups: [{ error_threshold: 100 }], ...more },
    };
    const isMade = ({ status }: ClientAnswer) => status === 201 || status === 409;
    const { body } = await this.make('POST', '/api/v1/deployments', isMade, json);
    return body.id ?? body.detail.deployment_id;
  }

  private async make(
    method: string,
    path: string,
    isMade: (answer: ClientAnswer) => boolean,
    json?: object,
  ): Promise<ClientAnswer> {
    for (;;) {
      const answer = await askOnce(this.client, method, path, json);
      if (answer && isMade(answer)) return answer;
      if (answer && answer.status < 500)
        throw new Error(`${method} ${path} was answered ${answer.status}: ${JSON.stringify(answer.body)}`);
      await sleep(AGAIN_MS);
    }
  }
}

/** Null: the answer was lost. */
export async function askOnce(
  client: PlatformClient,
  method: string,
  path: string,
  json?: object,
): Promise<ClientAnswer | null> {
  try {
    return await client.call(method, path, json && { json });
  } catch (error) {
    if (!(error instanceof LostAnswer)) throw error;
    return null;
  }
}
