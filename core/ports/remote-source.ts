import type { Readable } from 'node:stream';
import { AppError } from '../errors/app-error.js';

/** Where a source's three endpoints live and what opens them. The token is plaintext: it lives only in memory. */
export interface RemoteEndpoint {
  /** Whose source it is: tenants share neither connections nor their part of what all use. */
  readonly tenantId: string;
  readonly baseUrl: string;
  /** Null: the source asks for none. */
  readonly token: string | null;
}

export interface RemoteDataset {
  readonly id: string;
  readonly name: string;
  readonly modality: string | null;
  readonly updatedAt: Date | null;
  readonly fileCount: number | null;
  readonly sizeBytes: number | null;
}

export interface RemoteFile {
  /** Relative, `/`-separated, as the source names it; the dataset's path rules are checked by the caller. */
  readonly path: string;
  readonly sizeBytes: number;
  /** 64 lower-case hex digits. */
  readonly sha256: string;
}

/**
 * Why a source could not be read. `address`: not allowed to be called; `name`: unknown to the DNS, or leads to what is not allowed; `refused`: nobody listens; `connection`:
 * no way there, or it broke; `credentials`: 401 or 403; `missing`: 404; `busy`: 429 or 5xx; `redirect`: too many or broken;
 * `shape`: an answer of another form; `limit`: more than is read; `platform`: it was not asked, for the platform is too busy.
 */
export const SOURCE_FAILURES = [
  'address',
  'name',
  'refused',
  'connection',
  'tls',
  'timeout',
  'credentials',
  'missing',
  'busy',
  'redirect',
  'shape',
  'limit',
  'platform',
] as const;
export type SourceFailure = (typeof SOURCE_FAILURES)[number];

/** `detail` of every AppError a source's failure is reported by; goes to the caller as it is. */
export interface SourceFailureDetail {
  readonly reason: SourceFailure;
  /** What a person can do about it. */
  readonly next_step: string;
}

/** Null for errors that are no failure of a source. */
export function sourceFailureOf(error: unknown): SourceFailureDetail | null {
  const detail = error instanceof AppError ? (error.detail as Partial<SourceFailureDetail> | null) : null;
  return detail?.reason !== undefined && SOURCE_FAILURES.includes(detail.reason)
    ? (detail as SourceFailureDetail)
    : null;
}

/** Single files at addresses that people give; guarded, and with the errors, as a RemoteSource. */
export interface RemoteFiles {
  /** The whole file. Destroy or consume the stream. @param tenantId whose address it is */
  openAddress(tenantId: string, address: string, signal?: AbortSignal): Promise<Readable>;
}

/** A file that comes slower is given up, within one connection and over all of them. */
export const LEAST_FILE_BYTES_PER_S = 16 * 1024;

const PASSING: ReadonlySet<SourceFailure> = new Set<SourceFailure>([
  'name',
  'refused',
  'connection',
  'timeout',
  'busy',
  'platform',
]);

/** Whether the same call may succeed later; `options.retryAfterS` of the error is what the source asked for, at most an hour. */
export const isPassingFailure = (error: unknown): boolean =>
  PASSING.has(sourceFailureOf(error)?.reason ?? 'shape') && !isForbiddenName(error);

/** Reported like any name that cannot be called; retrying does not help. */
export const FORBIDDEN_NAME = 'FORBIDDEN_NAME';

function isForbiddenName(error: unknown): boolean {
  let current = error;
  for (let depth = 0; depth < 5 && current instanceof Error; depth += 1) {
    if ((current as NodeJS.ErrnoException).code === FORBIDDEN_NAME) return true;
    current = current.cause;
  }
  return false;
}

/**
 * Another system's datasets behind `GET {base}/datasets`, `GET {base}/datasets/{id}/manifest` and
 * `GET {base}/datasets/{id}/files/{path}` (decision B26; form in docs/guide/external-sources.md). Everything read is
 * untrusted and bounded. All methods only read and may be repeated. They throw AppError with a SourceFailureDetail:
 * `bad_gateway` when the source cannot be reached, answers in another shape or has no such list, dataset or file (`missing`),
 * `gateway_timeout` when it is too slow, `service_unavailable` when it was not asked (`platform`), `conflict` when it must not be called (its address, or one it redirects to).
 * An abort by the caller's signal throws the signal's reason. Messages never hold the token.
 */
export interface RemoteSource {
  listDatasets(
    source: RemoteEndpoint,
    query: { readonly updatedAfter?: Date; readonly page: number; readonly pageSize: number },
    signal?: AbortSignal,
  ): Promise<{ readonly items: readonly RemoteDataset[]; readonly total: number }>;
  /** Yields the files in the order of the manifest without holding it whole; at most 200,000 files and 256 MiB of text. */
  readManifest(
    source: RemoteEndpoint,
    remoteDatasetId: string,
    signal?: AbortSignal,
  ): AsyncIterable<RemoteFile>;
  /**
   * The bytes of a file from `offset` on; a source that ignores ranges is read from the start and skipped. Destroy or consume
   * the stream: it ends with an AppError as above when the connection breaks or is silent, and says nothing about the size.
   */
  openFile(
    source: RemoteEndpoint,
    remoteDatasetId: string,
    path: string,
    offset: number,
    signal?: AbortSignal,
  ): Promise<Readable>;
}
