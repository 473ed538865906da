import { ApiError } from '../../api/errors';
import { text } from '../../text';

interface Row {
  readonly name: string;
}

/**
 * Runs one call after another, and goes on after a failure.
 * @throws ApiError when all are through and some have failed, with a finding for each of these
 */
export async function each<R extends Row>(
  rows: readonly R[],
  call: (row: R) => Promise<unknown>,
): Promise<void> {
  const failures: Array<{ readonly row: R; readonly error: unknown }> = [];
  for (const row of rows) await call(row).catch((error: unknown) => failures.push({ row, error }));
  const [first] = failures;
  if (first === undefined) return;
  const known = first.error instanceof ApiError ? first.error : null;
  throw new ApiError(
    known?.status ?? 0,
    known?.code ?? 'partly',
    text.lists.partly(rows.length - failures.length, rows.length),
    known?.errorId ?? null,
    failures.map(({ row, error }) => ({ field: row.name, message: messageOf(error) })),
  );
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
