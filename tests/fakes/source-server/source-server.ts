import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Certificate } from './certificates.js';
import { type DatasetPlan, GeneratedDataset, type GeneratedFile } from './generated-dataset.js';
import { answerWith, type Endpoint, type Fault, type FaultRule, sendBody } from './source-faults.js';

export interface SourceRequest {
  readonly endpoint: Endpoint | 'other';
  readonly dataset: string | null;
  readonly path: string | null;
  /** Query of a list, as sent. */
  readonly query: Readonly<Record<string, string>>;
  readonly authorization: string | null;
  readonly range: string | null;
}

interface ActiveRule extends FaultRule {
  seen: number;
  /** How many requests it struck. */
  struck: number;
}

/**
 * The reference implementation of an external source: its three endpoints over real HTTP on a loopback port, with datasets
 * that are computed (generated-dataset.ts) and faults that strike the requests a test names (source-faults.ts).
 *
 *   const source = await SourceServer.start({ token: 'secret' });
 *   const scans = source.add({ id: 'scans', files: 20_000 });
 *   source.fail({ on: 'file', path: /17\.png$/, times: 2, fault: { kind: 'cut', afterBytes: 40 } });
 *   ... point a source at `source.baseUrl` and read; the platform needs SERVICE_OUTBOUND_ALLOW=127.0.0.0/8 ...
 *   source.heal(); scans.change(3); scans.remove(5); scans.add(10);
 *   await source.close();
 *
 * `requests` says what was asked, `peakFiles` how many files were under way at once. Rules are tried in the order given;
 * the first that strikes decides. Faults of ranges pass by requests without one.
 */
export class SourceServer {
  readonly requests: SourceRequest[] = [];
  /** The most files that were being sent at the same time. */
  peakFiles = 0;
  /** Requests that are neither answered nor left. */
  open = 0;
  private openFiles = 0;
  private rules: ActiveRule[] = [];
  private readonly datasets = new Map<string, GeneratedDataset>();

  private constructor(
    private readonly server: Server,
    private readonly options: SourceOptions,
  ) {}

  static async start(options: SourceOptions = {}): Promise<SourceServer> {
    const server: Server = options.certificate
      ? createTlsServer({ keepAliveTimeout: 60_000, ...options.certificate })
      : createServer({ keepAliveTimeout: 60_000 });
    const source = new SourceServer(server, options);
    server.on('request', (req, res) => {
      source.open += 1;
      res
        .on('error', () => undefined)
        .on('close', () => {
          source.open -= 1;
        });
      source.answer(req, res).catch((error: unknown) => res.destroy(error as Error));
    });
    await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve));
    return source;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Root of the three endpoints. */
  get baseUrl(): string {
    return `${this.options.certificate ? 'https' : 'http'}://127.0.0.1:${this.port}/api`;
  }

  get token(): string | null {
    return this.options.token ?? null;
  }

  add(plan: DatasetPlan): GeneratedDataset {
    return this.serve(new GeneratedDataset(plan));
  }

  /** Serves a dataset that another server had before: what was changed of it stays. */
  serve(dataset: GeneratedDataset): GeneratedDataset {
    this.datasets.set(dataset.plan.id, dataset);
    return dataset;
  }

  /** @returns how many requests the rule has struck so far */
  fail(rule: FaultRule): () => number {
    const active = { ...rule, seen: 0, struck: 0 };
    this.rules.push(active);
    return () => active.struck;
  }

  /** Forgets all faults. */
  heal(): void {
    this.rules = [];
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  private async answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const url = new URL(req.url ?? '/', 'http://source');
    const [endpoint, dataset, path] = route(url.pathname);
    const { authorization = null, range = null } = req.headers;
    this.requests.push({
      endpoint,
      dataset,
      path,
      query: Object.fromEntries(url.searchParams),
      authorization,
      range,
    });
    if (endpoint === 'other') return refuse(res, 404);
    const fault = this.strike(endpoint, path, range !== null);
    if (fault?.kind === 'delay') await sleep(fault.ms);
    if (fault && (await answerWith(fault, endpoint, res))) return;
    if (this.token !== null && authorization !== `Bearer ${this.token}`) return refuse(res, 401);
    if (endpoint === 'list') return this.sendJson(req, res, this.list(url.searchParams), fault);
    const found = this.datasets.get(dataset ?? '');
    if (!found) return refuse(res, 404);
    if (endpoint === 'manifest') return this.sendJson(req, res, manifestText(found, fault), fault);
    const file = found.find(path ?? '');
    if (!file) return refuse(res, 404);
    this.openFiles += 1;
    this.peakFiles = Math.max(this.peakFiles, this.openFiles);
    await sendFile(res, file, range, fault).finally(() => {
      this.openFiles -= 1;
    });
  }

  private strike(endpoint: Endpoint, path: string | null, hasRange: boolean): Fault | null {
    for (const rule of this.rules) {
      if ((rule.on !== undefined && rule.on !== endpoint) || (rule.path && !rule.path.test(path ?? '')))
        continue;
      if (!hasRange && OF_RANGES.has(rule.fault.kind)) continue;
      rule.seen += 1;
      const number = rule.seen - (rule.after ?? 0);
      if (number < 1 || number > (rule.times ?? Number.POSITIVE_INFINITY)) continue;
      rule.struck += 1;
      return rule.fault;
    }
    return null;
  }

  private *list(params: URLSearchParams): Iterable<Buffer> {
    const after = params.get('updated_after');
    const since = after === null ? Number.NEGATIVE_INFINITY : Date.parse(after);
    const matching = [...this.datasets.values()].filter((dataset) => dataset.updatedAt.getTime() > since);
    const size = Number(params.get('page_size') ?? 50);
    const from = (Number(params.get('page') ?? 1) - 1) * size;
    const items = matching.slice(from, from + size).map((dataset) => ({
      id: dataset.plan.id,
      name: dataset.plan.name ?? dataset.plan.id,
      modality: dataset.plan.modality ?? 'image',
      updated_at: dataset.updatedAt.toISOString(),
      file_count: dataset.count,
      // Sizes of computed files cost their computation: only small datasets tell.
      size_bytes: dataset.count <= 1000 ? dataset.sizeBytes : null,
    }));
    yield Buffer.from(JSON.stringify({ items, total: matching.length }));
  }

  private async sendJson(
    req: IncomingMessage,
    res: ServerResponse,
    pieces: Iterable<Buffer>,
    fault: Fault | null,
  ): Promise<void> {
    const isGzip = this.options.gzip === true && String(req.headers['accept-encoding']).includes('gzip');
    res.writeHead(200, {
      'content-type': 'application/json',
      ...(isGzip ? { 'content-encoding': 'gzip' } : {}),
    });
    await sendBody(res, isGzip ? [gzipSync(Buffer.concat([...pieces]))] : pieces, fault);
  }
}

const OF_RANGES: ReadonlySet<Fault['kind']> = new Set<Fault['kind']>(['no-ranges', 'wrong-range']);

export interface SourceOptions {
  /** What the endpoints ask for as bearer; absent: nothing. */
  readonly token?: string;
  /** Compresses lists and manifests for those who offer it. */
  readonly gzip?: boolean;
  /** Default: one that is free. */
  readonly port?: number;
  /** Speaks TLS with it. */
  readonly certificate?: Certificate;
}

function route(pathname: string): [Endpoint | 'other', string | null, string | null] {
  const parts = pathname.split('/').map(decodeURIComponent);
  const [root, api, datasets, id, what, ...rest] = parts;
  if (root !== '' || api !== 'api' || datasets !== 'datasets') return ['other', null, null];
  if (id === undefined) return ['list', null, null];
  if (what === 'manifest' && rest.length === 0) return ['manifest', id, null];
  return what === 'files' && rest.length > 0 ? ['file', id, rest.join('/')] : ['other', null, null];
}

const refuse = (res: ServerResponse, status: number): void =>
  void res.writeHead(status, { 'content-type': 'application/json' }).end(`{"status":${status}}`);

function* manifestText(dataset: GeneratedDataset, fault: Fault | null): Iterable<Buffer> {
  let text = `{"dataset":${JSON.stringify(dataset.plan.id)},"files":[`;
  let isFirst = true;
  for (const { path, sizeBytes, sha256 } of dataset.all()) {
    const entry = {
      path,
      size_bytes: Math.max(0, sizeBytes + (fault?.kind === 'wrong-size' ? fault.by : 0)),
      sha256:
        fault?.kind === 'wrong-sha256'
          ? sha256.replace(/^./, (digit) => (digit === '0' ? '1' : '0'))
          : sha256,
    };
    text += (isFirst ? '' : ',') + JSON.stringify(entry);
    isFirst = false;
    if (text.length > 32_768) {
      yield Buffer.from(text);
      text = '';
    }
  }
  yield Buffer.from(`${text}]}`);
}

async function sendFile(
  res: ServerResponse,
  file: GeneratedFile,
  range: string | null,
  fault: Fault | null,
): Promise<void> {
  const asked = /^bytes=(\d+)-$/.exec(range ?? '')?.[1];
  const isPartial = asked !== undefined && fault?.kind !== 'no-ranges';
  const offset = isPartial ? Number(asked) : 0;
  if (isPartial && offset >= file.sizeBytes)
    return void res.writeHead(416, { 'content-range': `bytes */${file.sizeBytes}` }).end();
  const more = fault?.kind === 'wrong-size' ? fault.by : 0;
  const stated = offset + (fault?.kind === 'wrong-range' ? 1 : 0);
  res.writeHead(isPartial ? 206 : 200, {
    'content-type': 'application/octet-stream',
    'content-length': String(Math.max(0, file.sizeBytes - offset + more)),
    ...(isPartial ? { 'content-range': `bytes ${stated}-${file.sizeBytes - 1}/${file.sizeBytes}` } : {}),
  });
  await sendBody(res, bent(file.read(offset), file.sizeBytes - offset, fault), fault);
}

/** The bytes as a fault would have them. */
function* bent(pieces: Iterable<Buffer>, sizeBytes: number, fault: Fault | null): Iterable<Buffer> {
  let left = fault?.kind === 'wrong-size' ? sizeBytes + fault.by : sizeBytes;
  for (const piece of pieces) {
    if (left <= 0) return;
    const bytes = fault?.kind === 'wrong-sha256' ? piece.map((byte) => byte ^ 0xff) : piece;
    yield Buffer.from(bytes.subarray(0, left));
    left -= bytes.length;
  }
  if (left > 0) yield Buffer.alloc(left, 7);
}
