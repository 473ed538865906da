import type { Readable } from 'node:stream';

/** Where a source's three endpoints live and what opens them. The token is plaintext: it lives only in memory. */
export interface RemoteEndpoint {
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
 * Another system's datasets behind `GET {base}/datasets`, `GET {base}/datasets/{id}/manifest` and
 * `GET {base}/datasets/{id}/files/{path}` (decision B26). Everything read is untrusted and bounded.
 * All methods only read and may be repeated. They throw AppError: `bad_gateway` when the source cannot be reached or answers
 * in another shape, `gateway_timeout` when it is too slow, `unprocessable_entity` when its address is not allowed.
 */
export interface RemoteSource {
  listDatasets(
    source: RemoteEndpoint,
    query: { readonly updatedAfter?: Date; readonly page: number; readonly pageSize: number },
    signal?: AbortSignal,
  ): Promise<{ readonly items: readonly RemoteDataset[]; readonly total: number }>;
  /** Yields the files in the order of the manifest without holding it whole; at most 200,000 files and 256 MiB of text. */
  readManifest(source: RemoteEndpoint, remoteDatasetId: string, signal?: AbortSignal): AsyncIterable<RemoteFile>;
  /** The bytes of a file from `offset` on; a source that ignores ranges is read from the start and skipped. Destroy or consume the stream. */
  openFile(source: RemoteEndpoint, remoteDatasetId: string, path: string, offset: number, signal?: AbortSignal): Promise<Readable>;
}
