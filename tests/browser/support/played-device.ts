import type { PlatformClient } from '../../setup/platform-client.js';

const LOOK_S = 20;

/** A device as an agent plays it, by its token alone. */
export class PlayedDevice {
  constructor(
    private readonly baseUrl: string,
    private readonly token: string,
  ) {}

  static async register(
    admin: PlatformClient,
    json: { readonly id: string; readonly location: string },
  ): Promise<PlayedDevice> {
    const { token } = (await admin.expect(201, 'POST', '/api/v1/edge/devices', { json })).body;
    return new PlayedDevice(admin.baseUrl, token);
  }

  /** @param path below `/api/v1/edge` */
  async send(path: string, body: object): Promise<void> {
    await this.call('POST', path, JSON.stringify(body));
  }

  /** Takes the next command, says how far it is, and that it is done. @returns its type */
  async carryOut(result: object): Promise<string> {
    const { items } = (await this.call('GET', `commands?wait=${LOOK_S}`)) as {
      items: Array<{ id: string; type: string }>;
    };
    const [command] = items;
    if (command === undefined) throw new Error('there was no command');
    const running = { status: 'running', result: { step: 'installing', progress: 0.5 } };
    await this.send(`commands/${command.id}:ack`, running);
    await this.send(`commands/${command.id}:ack`, { status: 'succeeded', result });
    return command.type;
  }

  private async call(method: string, path: string, body?: string): Promise<unknown> {
    const answer = await fetch(`${this.baseUrl}/api/v1/edge/${path}`, {
      method,
      headers: { 'X-Edge-Token': this.token, 'Content-Type': 'application/json' },
      body,
    });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return answer.json();
  }
}
