import { connect, type Socket } from 'node:net';
import { readAnswer, requestOf } from '../harness/net-load.js';
import type { BenchDevice } from './edge-bench.js';

interface Delivered {
  readonly items: ReadonlyArray<{ readonly id: string }>;
}

/** A device that holds a poll over a raw connection, acknowledges what it gets, and polls again. */
export class PollingDevice {
  private pending: Buffer = Buffer.alloc(0);
  private readonly socket: Socket;
  private readonly poll: Buffer;
  private unacknowledged: string[] = [];
  private isEnding = false;

  /** @param onCommand called for each command when it is there */
  constructor(
    private readonly baseUrl: string,
    private readonly device: BenchDevice,
    waitS: number,
    private readonly onCommand: (id: string) => void,
    private readonly onFailure: (text: string) => void,
  ) {
    const url = new URL(baseUrl);
    this.poll = requestOf('GET', `${baseUrl}/api/v1/edge/commands?wait=${waitS}`, this.headers);
    this.socket = connect(Number(url.port), url.hostname);
    this.socket.setNoDelay(true);
    this.socket.on('data', (piece: Buffer) => this.take(piece));
    this.socket.on('error', (error) => this.fail(error.message));
    this.socket.on('close', () => this.fail('the connection was closed'));
  }

  /** Resolves when the poll is on its way. */
  begin(): Promise<void> {
    return new Promise((resolve) => this.socket.write(this.poll, () => resolve()));
  }

  end(): void {
    this.isEnding = true;
    this.socket.destroy();
  }

  private get headers(): Record<string, string> {
    return { 'X-Edge-Token': this.device.token };
  }

  private fail(text: string): void {
    if (!this.isEnding) this.onFailure(`${this.device.key}: ${text}`);
  }

  private take(piece: Buffer): void {
    this.pending = this.pending.length === 0 ? piece : Buffer.concat([this.pending, piece]);
    const answer = readAnswer(this.pending);
    if (answer === null) return;
    const text = this.pending.subarray(0, answer.length).toString();
    this.pending = this.pending.subarray(answer.length);
    if (!answer.succeeded) return this.fail(text.slice(0, 200));
    const { items } = JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4)) as Partial<Delivered>;
    for (const { id } of items ?? []) {
      this.onCommand(id);
      this.unacknowledged.push(id);
    }
    this.goOn();
  }

  private goOn(): void {
    const id = this.unacknowledged.shift();
    if (id === undefined) {
      this.socket.write(this.poll);
      return;
    }
    const headers = { ...this.headers, 'Content-Type': 'application/json' };
    const body = Buffer.from('{"status":"succeeded"}');
    this.socket.write(requestOf('POST', `${this.baseUrl}/api/v1/edge/commands/${id}:ack`, headers, body));
  }
}
