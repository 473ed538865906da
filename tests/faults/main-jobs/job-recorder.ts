import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { LoggedPoint, MetricLedger } from './metric-ledger.js';

interface SentBatch {
  readonly run_id: string;
  readonly metrics?: ReadonlyArray<Omit<LoggedPoint, 'value'> & { readonly value: number | string }>;
}

/**
 * Stands between the training jobs and the API, and books which of their metrics were acknowledged: `SERVICE_INTERNAL_URL`
 * of the platform names it. An API that is away is a broken connection for the job, as it is without it.
 */
export class JobRecorder {
  /** Where the API is. */
  target = '';

  private constructor(
    private readonly server: Server,
    private readonly ledger: MetricLedger,
  ) {}

  static async start(ledger: MetricLedger): Promise<JobRecorder> {
    const server = createServer();
    const recorder = new JobRecorder(server, ledger);
    server.on('request', (req: IncomingMessage, res: ServerResponse) => {
      recorder.pass(req, res).catch(() => req.socket.destroy());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return recorder;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async pass(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const sent = await buffer(req);
    const isBatch = req.url?.endsWith('/mlflow/runs/log-batch') === true;
    const batch = isBatch ? (JSON.parse(sent.toString()) as SentBatch) : null;
    const points = (batch?.metrics ?? []).map((point) => ({ ...point, value: Number(point.value) }));
    if (batch !== null) this.ledger.send(batch.run_id, 'job', points);
    const { headers, method } = req;
    const passed = request(new URL(req.url ?? '/', this.target), { method, headers, agent: false });
    // Also after the answer has begun, where it breaks off.
    passed.on('error', () => undefined);
    passed.end(sent.length > 0 ? sent : undefined);
    const [answer] = (await once(passed, 'response')) as [IncomingMessage];
    const bytes = await buffer(answer);
    const status = answer.statusCode ?? 0;
    if (batch !== null && status >= 200 && status < 300) this.ledger.acknowledge(batch.run_id, 'job', points);
    res.writeHead(status, { 'content-type': answer.headers['content-type'] ?? 'text/plain' });
    res.end(bytes);
  }
}
