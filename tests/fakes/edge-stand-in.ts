import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

export interface StandInRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

export interface StandInAnswer {
  readonly status: number;
  readonly json?: unknown;
  readonly bytes?: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Answers devices as the platform does, until a test makes it answer something else. */
export class EdgeStandIn {
  readonly requests: StandInRequest[] = [];
  /** Batches in the order of their arrival, by key or hash: how often each came. */
  readonly batches = new Map<string, number>();
  readonly acks: Array<{ readonly id: string; readonly status: string; readonly result: unknown }> = [];
  /** Given out by the next poll. */
  commands: object[] = [];
  /** That of every device. */
  policy = { revision: 1, heartbeat_interval_s: 0.1, sync: { interval_s: 0.1, batch_size: 20 } };
  /** That heartbeats are answered with, where it is not that of the policy. */
  statedRevision: number | null = null;
  /** That of every model version. */
  model = Buffer.from('weights');
  /** Asked first; null: it answers as always. */
  instead: (request: StandInRequest) => StandInAnswer | null = () => null;
  private readonly ends = new Map<string, { readonly state: string; readonly finished_at: string }>();
  private readonly server = createServer((req, res) => void this.answer(req, res));

  static async listen(): Promise<EdgeStandIn> {
    const made = new EdgeStandIn();
    await new Promise<void>((done) => made.server.listen(0, '127.0.0.1', done));
    return made;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  count(method: string, path: RegExp): number {
    return this.requests.filter((one) => one.method === method && path.test(one.path)).length;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    try {
      for await (const piece of req) pieces.push(piece as Buffer);
    } catch {
      return;
    }
    const { method = '', headers } = req;
    const request = { method, headers, path: req.url ?? '', body: Buffer.concat(pieces) };
    this.requests.push(request);
    const answer = this.instead(request) ?? (await this.usual(request));
    const body = answer.bytes ?? Buffer.from(JSON.stringify(answer.json ?? {}));
    res.writeHead(answer.status, { ...answer.headers, 'content-length': body.length });
    res.end(body);
  }

  private async usual(request: StandInRequest): Promise<StandInAnswer> {
    const { method, path } = request;
    if (path === '/api/v1/edge/devices')
      return { status: 201, json: { token: `token-${this.requests.length}` } };
    if (path.endsWith('/register')) return { status: 200, json: { config: this.policy } };
    if (path.includes('/config')) return { status: 200, json: this.policy };
    if (/\/(telemetry|inference)$/.test(path)) return this.batch(request);
    if (path.includes('/commands?')) return this.poll();
    if (path.endsWith(':ack')) return this.acknowledge(request);
    if (path.endsWith('/versions')) return { status: 200, json: { items: [this.listed()] } };
    if (/\/download\?path=[^&]+$/.test(path)) return { status: 200, bytes: this.model };
    if (path.endsWith('/uploads') && method === 'POST')
      return { status: 201, json: { upload_id: 'u-1', chunk_count: 1, received: [], state: 'open' } };
    const policy_revision = this.statedRevision ?? this.policy.revision;
    return { status: 200, json: { status: 'ok', policy_revision } };
  }

  /** A version of two files with the same bytes. */
  private listed() {
    const file = { size_bytes: this.model.length, sha256: sha256(this.model) };
    return { version: 3, files: ['model.onnx', 'labels/names.json'].map((path) => ({ path, ...file })) };
  }

  private batch({ headers, body }: StandInRequest): StandInAnswer {
    const key = String(headers['idempotency-key'] ?? sha256(body));
    this.batches.set(key, (this.batches.get(key) ?? 0) + 1);
    const { records } = JSON.parse(body.toString()) as { records: unknown[] };
    return { status: 200, json: { accepted: records.length, received_at: `first of ${key}` } };
  }

  /** Until all who asked have gone: a poll that somebody left would take the next commands along. */
  async untilLeft(): Promise<void> {
    const connections = promisify(this.server.getConnections.bind(this.server));
    while ((await connections()) > 0) await sleep(5);
  }

  private async poll(): Promise<StandInAnswer> {
    const items = this.commands;
    this.commands = [];
    // What comes meanwhile is for the next poll: this one may be left by then.
    if (items.length === 0) await sleep(20);
    return { status: 200, json: { items, total: items.length } };
  }

  private acknowledge({ path, body }: StandInRequest): StandInAnswer {
    const id = /([^/]+):ack$/.exec(path)?.[1] ?? '';
    const { status, result } = JSON.parse(body.toString()) as { status: string; result: unknown };
    this.acks.push({ id, status, result });
    if (status === 'running') return { status: 200, json: { state: 'delivered', finished_at: null } };
    const end = this.ends.get(id) ?? { state: status, finished_at: String(this.acks.length) };
    this.ends.set(id, end);
    return { status: 200, json: end };
  }
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
