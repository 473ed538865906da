import { type Answer, type Connections, type Exchange, LostAnswer } from './exchange.js';
import type { Figures } from './figures.js';

/** What a device asks for. The name stands in figures. */
export type CallName =
  | 'register'
  | 'config'
  | 'heartbeat'
  | 'telemetry'
  | 'inference'
  | 'poll'
  | 'acknowledge'
  | 'versions'
  | 'download'
  | 'upload';

export interface Call {
  readonly name: CallName;
  readonly method: string;
  /** Below `/api/v1/edge`. */
  readonly path: string;
  readonly signal: AbortSignal;
  readonly json?: unknown;
  readonly bytes?: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  readonly idleMs?: number;
  readonly cutAfterBytes?: number | null;
  readonly sink?: (piece: Buffer) => void;
  /** Refusals that may happen to a device that does nothing wrong; any other one breaks the contract. */
  readonly mayRefuse?: readonly number[];
}

/** No answer, or one that says "later": worth another try. */
export class Absent extends Error {
  override readonly name = 'Absent';
  constructor(
    message: string,
    readonly retryAfterS: number | null = null,
  ) {
    super(message);
  }
}

/** An answer that asking again does not change. */
export class Refused extends Error {
  override readonly name = 'Refused';
  constructor(
    message: string,
    readonly status: number,
  ) {
    super(message);
  }
}

const IDLE_MS = 30_000;
/** Calls whose answers come when they come: their times say nothing about the platform. */
const UNTIMED: ReadonlySet<CallName> = new Set(['poll', 'download']);
const LATER: ReadonlySet<number> = new Set([408, 425, 429, 502, 503, 504]);

/** Calls of one device with its token. What the platform promised and did not keep goes to the figures. */
export class DeviceClient {
  constructor(
    private readonly device: string,
    private readonly token: string,
    private readonly connections: Connections,
    private readonly figures: Figures,
  ) {}

  /** @returns the parsed answer, null where it has no body @throws Absent, Refused */
  async call<T>(call: Call): Promise<{ readonly body: T; readonly headers: Answer['headers'] }> {
    const answer = await this.send(call);
    const { status, headers } = answer;
    if (status < 300) return { body: this.parse<T>(call, answer), headers };
    const said = `${call.name} of ${this.device} answered ${status}: ${answer.body.toString().slice(0, 200)}`;
    this.figures.error(`${status} ${call.name}`);
    if (LATER.has(status)) throw new Absent(said, this.retryAfter(call, answer, said));
    if (status >= 500) {
      this.figures.breach(said);
      throw new Absent(said);
    }
    if (status !== 401 && !(call.mayRefuse ?? []).includes(status)) this.figures.breach(said);
    throw new Refused(said, status);
  }

  private async send(call: Call): Promise<Answer> {
    this.figures.requests += 1;
    const startedAt = performance.now();
    try {
      const answer = await this.connections.exchange(this.toExchange(call));
      if (!UNTIMED.has(call.name)) this.figures.time(performance.now() - startedAt);
      return answer;
    } catch (error) {
      if (!(error instanceof LostAnswer)) throw error;
      // Its own doing is no error of the connection.
      if (!call.signal.aborted && (call.cutAfterBytes ?? null) === null)
        this.figures.error(`no answer to ${call.name}`);
      throw new Absent(`${call.name} of ${this.device}: ${error.message}`);
    }
  }

  private toExchange(call: Call): Exchange {
    const { json, bytes } = call;
    const body = bytes ?? (json === undefined ? null : Buffer.from(JSON.stringify(json)));
    const type = json === undefined ? 'application/octet-stream' : 'application/json';
    return {
      method: call.method,
      path: `/api/v1/edge${call.path}`,
      headers: {
        'x-edge-token': this.token,
        ...(body === null ? {} : { 'content-type': type }),
        ...call.headers,
      },
      body,
      idleMs: call.idleMs ?? IDLE_MS,
      signal: call.signal,
      cutAfterBytes: call.cutAfterBytes ?? null,
      sink: call.sink ?? null,
    };
  }

  private parse<T>(call: Call, { body, status }: Answer): T {
    if (body.length === 0) return null as T;
    try {
      return JSON.parse(body.toString()) as T;
    } catch {
      this.figures.breach(`${call.name} of ${this.device} answered ${status} with a body that is no JSON`);
      throw new Refused(`${call.name} of ${this.device}: no JSON`, status);
    }
  }

  /** What says "later" says when. */
  private retryAfter(call: Call, { status, headers }: Answer, said: string): number | null {
    const text = headers['retry-after'] ?? '';
    if (/^\d+$/.test(text)) return Number(text);
    if (status === 503 || status === 429) this.figures.breach(`${said} (${call.name} without Retry-After)`);
    return null;
  }
}
