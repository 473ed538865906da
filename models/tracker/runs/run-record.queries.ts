import type { TenantTransaction } from '../../orm/transaction.js';
import { FIND_RUN, LIST_RUNS } from './run-record.sql.js';
import type { RunRecord } from './run-record.types.js';

/** Deleted ones too; null for unknown and foreign runs alike. */
export async function findRunRecord(tx: TenantTransaction, runId: string): Promise<RunRecord | null> {
  const [run] = await tx.rows<RunRow>(FIND_RUN, [tx.tenantId, runId]);
  return run ? toRecord(run) : null;
}

/** @param rows short ids; the answer has their order */
export async function listRunRecords(tx: TenantTransaction, rows: readonly number[]): Promise<RunRecord[]> {
  if (rows.length === 0) return [];
  return (await tx.rows<RunRow>(LIST_RUNS, [tx.tenantId, rows])).map(toRecord);
}

type Pairs = ReadonlyArray<readonly [key: string, value: string]>;

/** Null where the run has none. */
interface RunRow extends Omit<RunRecord, 'metrics' | 'params' | 'tags' | 'datasets' | 'models'> {
  readonly metrics: ReadonlyArray<readonly [name: string, value: string, ts: number, step: number]> | null;
  readonly params: Pairs | null;
  readonly tags: Pairs | null;
  readonly datasets: RunRecord['datasets'] | null;
  readonly models: RunRecord['models'] | null;
}

const toRecord = ({ metrics, params, tags, datasets, models, ...run }: RunRow): RunRecord => ({
  ...run,
  metrics: (metrics ?? []).map(([key, value, ts, step]) => ({ key, ts, step, value: Number(value) })),
  params: pairs(params),
  tags: pairs(tags),
  datasets: datasets ?? [],
  models: models ?? [],
});

const pairs = (found: Pairs | null) => (found ?? []).map(([key, value]) => ({ key, value }));
