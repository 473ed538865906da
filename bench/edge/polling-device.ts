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

/** One that was sent and has no answer yet is sent again on the next connection. */
interface Call {
  readonly name: string;
  readonly bytes: Buffer;
  /** Which the report is about; null: the poll. */
  readonly command: string | null;
}

/** A connection that was closed is opened again this much later, and up to twice as much. */
const RECONNECT_MS = 500;

/** A device that holds a poll over a raw connection, acknowledges what it gets, and polls again. */
export class PollingDevice {
  private pending: Buffer = Buffer.alloc(0);
  private readonly poll: Call;
  private reports: Call[] = [];
  private call: Call;
  private isUnanswered = false;
  private socket: Socket;
  private sentAt = 0;
  private isEnding = false;
  private release: () => void = () => undefined;

  /**
   * @param onCommand called for each command when it is there
   * @param onFailure called with the kind of what failed: a status with its text, or what became of the connection
   */
  constructor(
    private readonly baseUrl: string,
    private readonly device: BenchDevice,
    waitS: number,
    private readonly onCommand: (id: string) => void,
    private readonly onFailure: (kind: string) => void,
    private readonly reporting = AT_ONCE,
  ) {
    const bytes = requestOf('GET', `${baseUrl}/api/v1/edge/commands?wait=${waitS}`, this.headers);
    this.poll = { name: 'poll', bytes, command: null };
    this.call = this.poll;
    this.socket = this.connect();
  }

  /** Resolves when the poll is on its way. */
  begin(): Promise<void> {
    this.isUnanswered = true;
    return new Promise((resolve) => this.socket.write(this.poll.bytes, () => resolve()));
  }

  end(): void {
    this.isEnding = true;
    this.release();
    this.socket.destroy();
  }

  private get headers(): Record<string, string> {
    return { 'X-Edge-Token': this.device.token };
  }

  private connect(): Socket {
    this.pending = Buffer.alloc(0);
    const url = new URL(this.baseUrl);
    const socket = connect(Number(url.port), url.hostname);
    socket.setNoDelay(true);
    const isCurrent = () => socket === this.socket;
    socket.on('data', (piece: Buffer) => isCurrent() && this.take(piece));
    socket.on(
      'error',
      (error: NodeJS.ErrnoException) => isCurrent() && this.fail(error.code ?? error.message),
    );
    socket.on('close', (hadError: boolean) => isCurrent() && this.closed(hadError));
    return socket;
  }

  /** The platform closes connections that are idle, such as those of devices that wait for their turn: the next call opens one. */
  private closed(hadError: boolean): void {
    this.release();
    if (this.isEnding || !this.isUnanswered) return;
    if (!hadError) this.fail('closed before the answer');
    this.isUnanswered = false;
    setTimeout(() => this.send(), RECONNECT_MS * (1 + Math.random()));
  }

  private fail(kind: string): void {
    if (!this.isEnding) this.onFailure(`${this.call.name}: ${kind}`);
  }

  private take(piece: Buffer): void {
    // Such as 408, which a connection gets before it is closed.
    if (!this.isUnanswered) return;
    this.pending = this.pending.length === 0 ? piece : Buffer.concat([this.pending, piece]);
    const answer = readAnswer(this.pending);
    if (answer === null) return;
    const text = this.pending.subarray(0, answer.length).toString();
    this.pending = this.pending.subarray(answer.length);
    this.isUnanswered = false;
    this.release();
    if (!answer.succeeded) return this.refused(text);
    if (this.call !== this.poll) this.reporting.onAnswer?.(performance.now() - this.sentAt);
    const { items } = JSON.parse(bodyOf(text)) as Partial<Delivered>;
    for (const { id } of items ?? []) {
      this.onCommand(id);
      this.reports.push(...this.reporting.reports.map((body) => this.reportOf(id, body)));
    }
    this.next();
  }

  /** Sent again when the platform says so and a little later, as agents do, unless no repeat would change the answer. */
  private refused(text: string): void {
    const status = Number(text.slice(9, 12));
    this.fail(`${status} ${messageOf(text)}`);
    if (status === 429 || status >= 500) {
      const seconds = Number(/\r\nretry-after: *(\d+)/i.exec(text)?.[1] ?? 1);
      setTimeout(() => this.send(), seconds * 1000 * (1 + Math.random()));
      return;
    }
    if (this.call === this.poll) return this.end();
    const { command } = this.call;
    this.reports = this.reports.filter((report) => report.command !== command);
    this.next();
  }

  private next(): void {
    this.call = this.reports.shift() ?? this.poll;
    this.send();
  }

  private send(): void {
    const { turns } = this.reporting;
    if (this.call === this.poll || turns === undefined) this.write(() => undefined);
    else void turns.take().then((release) => this.write(release));
  }

  private write(release: () => void): void {
    if (this.isEnding) return release();
    if (!this.socket.writable) this.socket = this.connect();
    this.isUnanswered = true;
    this.release = release;
    this.sentAt = performance.now();
    this.socket.write(this.call.bytes);
  }

  private reportOf(command: string, body: string): Call {
    const headers = { ...this.headers, 'Content-Type': 'application/json' };
    const url = `${this.baseUrl}/api/v1/edge/commands/${command}:ack`;
    return { name: 'report', bytes: requestOf('POST', url, headers, Buffer.from(body)), command };
  }
}

const bodyOf = (answer: string): string => answer.slice(answer.indexOf('\r\n\r\n') + 4);

/** Without the id that each refusal has. */
function messageOf(answer: string): string {
  try {
    return (JSON.parse(bodyOf(answer)) as { readonly message: string }).message;
  } catch {
    return bodyOf(answer).slice(0, 200);
  }
}
