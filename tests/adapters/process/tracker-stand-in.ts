import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

export const TOKEN = 'token-of-the-job';
export const RUN = 'a'.repeat(32);
export const sha256 = (data: Buffer) => createHash('sha256').update(data).digest('hex');

/** The part of the platform that a training program talks to: the tracker subset and presigned reads. */
export class TrackerStandIn {
  readonly metrics: Array<{ key: string; value: number; step: number; timestamp: number }> = [];
  readonly params = new Map<string, string>();
  readonly tags = new Map<string, string>();
  readonly artifacts = new Map<string, Buffer>();
  /** Answered to every call of the tracker while set. */
  refusal: number | null = null;
  /** The first batch with this metric is taken, and nobody is answered. */
  silentAt: string | null = null;
  /** Folder whose files are given out below /files. */
  files = '';
  private readonly server: Server = createServer((request, response) => {
    void this.handle(request)
      .catch(() => 404)
      .then((status) => {
        const isFile = Buffer.isBuffer(status);
        response
          .writeHead(isFile ? 200 : status, { 'Content-Type': 'application/json' })
          .end(isFile ? status : status < 400 ? '{}' : '{"error_code": "REFUSED"}');
      });
  });

  async listen(): Promise<string> {
    await new Promise<void>((done) => this.server.listen(0, '127.0.0.1', done));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async handle(request: IncomingMessage): Promise<number | Buffer> {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://x').pathname);
    if (path.startsWith('/files/')) return readFileSync(join(this.files, path.slice('/files/'.length)));
    if (path.startsWith('/artifacts/')) return this.artifacts.get(path.slice('/artifacts/'.length)) ?? 404;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (this.refusal !== null) return this.refusal;
    if (request.headers.authorization !== `Bearer ${TOKEN}`) return 401;
    const prefix = `/tracker/api/2.0/mlflow-artifacts/artifacts/${RUN}/artifacts/`;
    if (request.method === 'PUT' && path.startsWith(prefix)) {
      this.artifacts.set(path.slice(prefix.length), Buffer.concat(chunks));
      return 200;
    }
    if (request.method !== 'POST' || path !== '/tracker/api/2.0/mlflow/runs/log-batch') return 404;
    const body = JSON.parse(Buffer.concat(chunks).toString()) as {
      run_id: string;
      metrics?: TrackerStandIn['metrics'];
      params?: Array<{ key: string; value: string }>;
      tags?: Array<{ key: string; value: string }>;
    };
    if (body.run_id !== RUN) return 400;
    this.metrics.push(...(body.metrics ?? []));
    for (const { key, value } of body.params ?? []) this.params.set(key, value);
    for (const { key, value } of body.tags ?? []) this.tags.set(key, value);
    if ((body.metrics ?? []).some(({ key }) => key === this.silentAt)) {
      this.silentAt = null;
      await new Promise((gone) => request.socket.once('close', gone));
    }
    return 200;
  }
}
