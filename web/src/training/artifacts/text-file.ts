import { queryOptions } from '@tanstack/react-query';
import { tenantUrl } from '../../api/client';
import { ApiError, unreachable } from '../../api/errors';
import type { Tenant } from '../../app/session';
import { runKey } from '../tracker/queries';

/** The beginning of a text is shown, this long. */
const TEXT_BYTES = 256 * 1024;

/**
 * The beginning of a file of a run. It is read again when the list shows another size, and with all that belongs to the run;
 * what was there before is shown as long.
 */
export const textFileQuery = (tenant: Tenant, runId: string, file: string, size: number | null) => {
  const key = [...runKey(tenant, runId), 'text-file', file];
  return queryOptions({
    queryKey: [...key, size],
    queryFn: ({ signal }) =>
      readBegin(tenantUrl(tenant.code, `/api/v1/runs/${runId}/artifact`, { path: file }), signal),
    placeholderData: (before, query) =>
      query !== undefined && key.every((part, at) => query.queryKey[at] === part) ? before : undefined,
  });
};

async function readBegin(url: string, signal: AbortSignal): Promise<{ content: string; isCut: boolean }> {
  const headers = { Range: `bytes=0-${TEXT_BYTES - 1}` };
  const response = await fetch(url, { headers, signal, credentials: 'same-origin' }).catch(
    (error: unknown) => {
      throw signal.aborted ? error : unreachable(error);
    },
  );
  // An empty file has no range.
  if (response.status === 416) return { content: '', isCut: false };
  if (!response.ok) throw ApiError.of(response, await response.json().catch(() => null));
  const total = Number(/\/(\d+)$/.exec(response.headers.get('content-range') ?? '')?.[1] ?? 0);
  return { content: await response.text(), isCut: total > TEXT_BYTES };
}
