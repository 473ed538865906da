import { connect, type Socket } from 'node:net';
import type { Slots } from '../../core/load/slots.js';
import { readAnswer, requestOf } from '../harness/net-load.js';
import type { BenchDevice } from './edge-bench.js';

interface Delivered {
  readonly items: ReadonlyArray<{ readonly id: string }>;
}

/** What a device says of each command, one after the other, and who hears how long the answers took. */
export interface Reporting {
  readonly reports: readonly string[];
  readonly onAnswer?: (ms: number) => void;
  /** Shared by devices of which only some report at the same time. */
  readonly turns?: Slots;
}

const AT_ONCE: Reporting = { reports: ['{"status":"succeeded"}'] };

/** A device that holds a poll over a raw connection, acknowledges what it gets, and polls again. */
export class PollingDevice {
  private pending: Buffer = Buffer.alloc(0);
  private readonly socket: Socket;
  private readonly poll: Buffer;
  private readonly reports: Buffer[] = [];
  private report: Buffer | null = null;
  private sentAt = 0;
  private isEnding = false;
  private release: () => void = () => undefined;

  /** @param onCommand called for each command when it is there */
  constructor(
    private readonly baseUrl: string,
    private readonly device: BenchDevice,
    waitS: number,
    private readonly onCommand: (id: string) => void,
    private readonly onFailure: (text: string) => void,
    private readonly reporting = AT_ONCE,
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
    this.release();
    if (!answer.succeeded) return this.refused(text);
    if (this.report !== null) this.reporting.onAnswer?.(performance.now() - this.sentAt);
    const { items } = JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4)) as Partial<Delivered>;
    for (const { id } of items ?? []) {
      this.onCommand(id);
      this.reports.push(...this.reporting.reports.map((body) => this.reportOf(id, body)));
    }
    this.report = this.reports.shift() ?? null;
    this.send();
  }

  /** What was sent is sent again, when the platform says so and a little later, as agents do. */
  private refused(text: string): void {
    this.fail(text.slice(0, 200));
    const seconds = Number(/\r\nretry-after: *(\d+)/i.exec(text)?.[1] ?? 1);
    setTimeout(() => this.send(), seconds * 1000 * (1 + Math.random()));
  }

  private send(): void {
    const { turns } = this.reporting;
    if (this.report === null || turns === undefined) this.write(() => undefined);
    else void turns.take().then((release) => this.write(release));
  }

  private write(release: () => void): void {
    if (this.isEnding) return release();
    this.release = release;
    this.sentAt = performance.now();
    this.socket.write(this.report ?? this.poll);
  }

  private reportOf(id: string, body: string): Buffer {
    const headers = { ...this.headers, 'Content-Type': 'application/json' };
    const url = `${this.baseUrl}/api/v1/edge/commands/${id}:ack`;
    return requestOf('POST', url, headers, Buffer.from(body));
  }
}
