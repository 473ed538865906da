import type { PlatformCalls } from './platform-calls';

export interface Existing {
  readonly size: number;
  readonly sha256: string;
}

interface FilePage {
  readonly items: ReadonlyArray<{
    readonly path: string;
    readonly size_bytes: number;
    readonly sha256: string;
  }>;
  readonly next: string | null;
}

const PAGE = 200;

/** Every file that the dataset has, by path. */
export async function existingFiles(calls: PlatformCalls, datasetId: string): Promise<Map<string, Existing>> {
  const found = new Map<string, Existing>();
  let after: string | null = null;
  do {
    const query = new URLSearchParams({
      sort: 'path',
      page_size: String(PAGE),
      ...(after === null ? {} : { after }),
    });
    const page: FilePage = await calls.call('GET', `/api/v1/datasets/${datasetId}/files?${query}`);
    for (const { path, size_bytes, sha256 } of page.items) found.set(path, { size: size_bytes, sha256 });
    after = page.next;
  } while (after !== null);
  return found;
}
