import type { Readable } from 'node:stream';
import { LRUCache } from 'lru-cache';
import type { Agent } from 'undici';
import { translatedStream } from '../../core/errors/translated-stream.js';
import { type LeastRate, watchTransferRate } from './transfer-rate.js';
import {
  LEAST_FILE_BYTES_PER_S,
  type RemoteEndpoint,
  type RemoteFile,
  type RemoteFiles,
  type RemoteSource,
} from '../../core/ports/remote-source.js';
import { isWellFormed } from '../../core/text/line-text.js';
import { parseAllowance } from './address-guard.js';
import {
  bounded,
  countArrivals,
  decompressed,
  discard,
  firstByte,
  tooMuch,
  tooSlow,
  withoutFirst,
} from './answer-body.js';
import { type AgentLimits, createGuardedAgent } from './guarded-agent.js';
import { type GuardedAnswer, guardedGet } from './guarded-get.js';
import { ManifestScanner, ScanError } from './manifest-scanner.js';
import { NameLookUps, type Resolve, systemResolve } from './name-lookups.js';
import { readDatasetList, readManifestEntry, ShapeError } from './remote-answers.js';
import { sourceFailure, translateSourceError } from './source-failures.js';

export interface RemoteSourceLimits extends AgentLimits {
  /** The whole of a list, and of a manifest. */
  readonly listMs: number;
  readonly manifestMs: number;
  /** A file that comes slower is given up: a body without end would hold a place of the worker for ever. */
  readonly filePace: LeastRate;
  /** Limits of the text after decompression. */
  readonly listBytes: number;
  readonly manifestBytes: number;
  readonly manifestFiles: number;
}

const LIMITS: RemoteSourceLimits = {
  connectMs: 5000,
  headersMs: 20_000,
  idleMs: 20_000,
  listMs: 30_000,
  manifestMs: 600_000,
  filePace: { bytesPerS: LEAST_FILE_BYTES_PER_S, windowMs: 60_000 },
  listBytes: 4 * 2 ** 20,
  manifestBytes: 256 * 2 ** 20,
  manifestFiles: 200_000,
};

export interface RemoteSourceOptions {
  /** The setting SERVICE_OUTBOUND_ALLOW. */
  readonly allow: string;
  /** PEM text; trusted beside the authorities of the process. */
  readonly authorities?: string | null;
  readonly limits?: Partial<RemoteSourceLimits>;
  readonly resolve?: Resolve;
}

export type ManagedRemoteSource = RemoteSource & RemoteFiles & { close(): Promise<void> };

/** Sources over HTTP; see the port for errors and docs/guide/external-sources.md for the form of the three endpoints. */
export function createRemoteSource(options: RemoteSourceOptions): ManagedRemoteSource {
  return new HttpRemoteSource(options);
}

/** Share of the time for a connection that the look-up of its name may take. */
const NAME_PART = 0.9;
const MAX_AGENTS = 200;
const JSON_HEADERS = { accept: 'application/json', 'accept-encoding': 'gzip' };
/** Files are asked for as they are: their sha256 is of these bytes, and a range of a compressed form means nothing. */
const FILE_HEADERS = { 'accept-encoding': 'identity' };

class HttpRemoteSource implements ManagedRemoteSource {
  private readonly limits: RemoteSourceLimits;
  /**
   * One for each tenant, so that no tenant waits for connections or names of another. One that makes place goes on with
   * its calls; without connections, which end by themselves soon after they were last used, an agent holds next to nothing.
   */
  private readonly agents: LRUCache<string, Agent>;
  private readonly headMs: number;

  constructor(options: RemoteSourceOptions) {
    this.limits = { ...LIMITS, ...options.limits };
    this.headMs = this.limits.connectMs + this.limits.headersMs;
    const allowance = parseAllowance(options.allow);
    // A connection that waits for its name must report that before its own time is over.
    const names = new NameLookUps(options.resolve ?? systemResolve, {
      waitMs: this.limits.connectMs * NAME_PART,
    });
    this.agents = new LRUCache({
      max: MAX_AGENTS,
      memoMethod: (tenantId) =>
        createGuardedAgent(allowance, this.limits, names.of(tenantId), options.authorities),
    });
  }

  async listDatasets(
    source: RemoteEndpoint,
    query: { updatedAfter?: Date; page: number; pageSize: number },
    signal?: AbortSignal,
  ): ReturnType<RemoteSource['listDatasets']> {
    const params = new URLSearchParams({ page: String(query.page), page_size: String(query.pageSize) });
    if (query.updatedAfter) params.set('updated_after', query.updatedAfter.toISOString());
    const pieces: Buffer[] = [];
    try {
      const { stream, host } = await this.readText(source, `datasets?${params}`, this.limits.listMs, signal);
      for await (const piece of bounded(stream, this.limits.listBytes, host)) pieces.push(piece);
      return readDatasetList(parseJson(Buffer.concat(pieces)), query.pageSize);
    } catch (error) {
      throw inWords(error, source, signal);
    }
  }

  async *readManifest(
    source: RemoteEndpoint,
    remoteDatasetId: string,
    signal?: AbortSignal,
  ): AsyncIterable<RemoteFile> {
    const scanner = new ManifestScanner();
    let count = 0;
    try {
      const { stream, host } = await this.readText(
        source,
        `datasets/${segment(remoteDatasetId)}/manifest`,
        this.limits.manifestMs,
        signal,
      );
      for await (const piece of bounded(stream, this.limits.manifestBytes, host)) {
        for (const entry of scanner.push(piece)) {
          if (count === this.limits.manifestFiles)
            throw tooMuch(host, `more than ${this.limits.manifestFiles} files`);
          yield readManifestEntry(entry, count);
          count += 1;
        }
      }
      scanner.end();
    } catch (error) {
      throw inWords(error, source, signal);
    }
  }

  async openFile(
    source: RemoteEndpoint,
    remoteDatasetId: string,
    path: string,
    offset: number,
    signal?: AbortSignal,
  ): Promise<Readable> {
    const place = () =>
      `datasets/${segment(remoteDatasetId)}/files/${path.split('/').map(segment).join('/')}`;
    return this.open(source, () => `${source.baseUrl}/${place()}`, offset, signal);
  }

  openAddress(tenantId: string, address: string, signal?: AbortSignal): Promise<Readable> {
    return this.open({ tenantId, baseUrl: address, token: null }, () => address, 0, signal);
  }

  private async open(
    source: RemoteEndpoint,
    address: () => string,
    offset: number,
    signal?: AbortSignal,
  ): Promise<Readable> {
    const headers = { ...FILE_HEADERS, ...(offset > 0 ? { range: `bytes=${offset}-` } : {}) };
    let answer: GuardedAnswer | null = null;
    try {
      answer = await this.get(source, address(), headers, signal ?? null);
      const { body, host } = answer;
      const skip = offset - firstByte(answer, offset);
      translatedStream(body, (error) => inWords(error, source, signal));
      const watch = watchTransferRate(
        this.limits.filePace,
        // What lies here unread waits for the reader.
        () => body.readableLength === 0,
        () => body.destroy(tooSlow(host)),
      );
      countArrivals(body, watch.count);
      body.once('close', watch.stop);
      return skip === 0 ? body : withoutFirst(body, skip);
    } catch (error) {
      if (answer) discard(answer.body);
      throw inWords(error, source, signal);
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.agents.values()].map((agent) => agent.destroy()));
  }

  private get(
    source: RemoteEndpoint,
    address: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal | null,
  ): Promise<GuardedAnswer> {
    const call = { token: source.token, headers, headMs: this.headMs, signal };
    return guardedGet(this.agents.memo(source.tenantId), address, call);
  }

  private async readText(
    source: RemoteEndpoint,
    place: string,
    totalMs: number,
    signal: AbortSignal | undefined,
  ): Promise<{ host: string; stream: Readable }> {
    const until = AbortSignal.timeout(totalMs);
    const answer = await this.get(
      source,
      `${source.baseUrl}/${place}`,
      JSON_HEADERS,
      signal ? AbortSignal.any([signal, until]) : until,
    );
    return { host: answer.host, stream: decompressed(answer) };
  }
}

/** A part of the path. `.` and `..` would climb out of the three endpoints, however they are encoded. */
function segment(text: string): string {
  if (text === '' || text === '.' || text === '..' || !isWellFormed(text))
    throw sourceFailure(
      'missing',
      'No source can have a dataset or file of this name.',
      'Take the id from the list of remote datasets.',
    );
  return encodeURIComponent(text);
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new ShapeError('the answer is not JSON');
  }
}

/** In the error vocabulary; an abort by the caller stays what the caller gave as its reason. */
function inWords(error: unknown, source: RemoteEndpoint, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted) return signal.reason;
  const host = URL.parse(source.baseUrl)?.host ?? 'The source';
  if (error instanceof ShapeError || error instanceof ScanError) {
    const what = error instanceof ScanError ? `the manifest cannot be read: ${error.message}` : error.message;
    return sourceFailure(
      'shape',
      `${host} answers in another form than agreed: ${what}.`,
      'Check that base_url is the root of the three endpoints, and what they answer.',
      {
        cause: error,
      },
    );
  }
  return translateSourceError(error, host);
}
