import {
  Agent as HttpAgent,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as overHttp,
} from 'node:http';
import { Agent as HttpsAgent, request as overHttps } from 'node:https';

export interface Exchange {
  readonly method: string;
  /** From the root of the platform on. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
  /** Without a byte for so long, the connection counts as lost. */
  readonly idleMs: number;
  readonly signal: AbortSignal;
  /** The connection is cut once these bytes of the body have gone out; null: it is not. */
  readonly cutAfterBytes: number | null;
  /** Takes the body of a success piece by piece, and the answer has none then; null: the answer has it. */
  readonly sink: ((piece: Buffer) => void) | null;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** No answer, or not to its end: whether the platform did what it was asked is not known. */
export class LostAnswer extends Error {
  override readonly name = 'LostAnswer';
}

/** One that polls and two for the rest. */
const SOCKETS = 3;

/** The kept connections of one device. */
export class Connections {
  private readonly agent: HttpAgent;
  private readonly isTls: boolean;

  constructor(private readonly url: string) {
    this.isTls = url.startsWith('https:');
    this.agent = new (this.isTls ? HttpsAgent : HttpAgent)({ keepAlive: true, maxSockets: SOCKETS });
  }

  /** Over a rested connection that the platform has closed meanwhile it is sent once more. @throws LostAnswer */
  async exchange(what: Exchange): Promise<Answer> {
    try {
      return await this.once(what);
    } catch (error) {
      if (!(error instanceof StaleConnection)) throw error;
      return this.once(what);
    }
  }

  /** As a device does that loses its network. */
  close(): void {
    this.agent.destroy();
  }

  private once(what: Exchange): Promise<Answer> {
    const { method, headers, body, idleMs, signal, cutAfterBytes } = what;
    const length = body === null ? {} : { 'content-length': String(body.length) };
    return new Promise((resolve, reject) => {
      const send = this.isTls ? overHttps : overHttp;
      const req = send(`${this.url}${what.path}`, {
        ...{ method, agent: this.agent, signal, timeout: idleMs },
        headers: { ...headers, ...length },
      });
      let hasAnswer = false;
      req.on('response', (res) => {
        hasAnswer = true;
        collect(res, what).then(resolve, reject);
      });
      req.on('timeout', () => req.destroy(new Error('nothing came for too long')));
      req.on('error', (error: NodeJS.ErrnoException) => {
        const isStale =
          req.reusedSocket && !hasAnswer && cutAfterBytes === null && STALE.has(error.code ?? '');
        reject(isStale ? new StaleConnection(error.message) : new LostAnswer(error.code ?? error.message));
      });
      if (cutAfterBytes === null || body === null) req.end(body ?? undefined);
      else req.write(body.subarray(0, cutAfterBytes), () => req.destroy(new Error('cut on purpose')));
    });
  }
}

const STALE: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE']);
class StaleConnection extends LostAnswer {}

async function collect(res: IncomingMessage, { sink }: Exchange): Promise<Answer> {
  const status = res.statusCode as number;
  const pieces: Buffer[] = [];
  const take = sink !== null && status < 300 ? sink : (piece: Buffer) => void pieces.push(piece);
  try {
    for await (const piece of res) take(piece as Buffer);
  } catch (error) {
    throw new LostAnswer((error as Error).message);
  }
  return { status, headers: res.headers, body: Buffer.concat(pieces) };
}
