import { anyOf } from '../../orm/any-of.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { CONTENTS_OF_RUNS, DATASETS_OF_RUNS, MODELS_OF_RUNS } from './run-record.sql.js';
import type { DatasetInput, RunModelLink, RunRecord } from './run-record.types.js';

const runs = (tx: TenantTransaction) =>
  tx.kysely
    .selectFrom('tracker_run as r')
    .where('r.tenantId', '=', tx.tenantId)
    .select([
      'r.id as row',
      'r.runId',
      'r.name',
      'r.experiment as experimentId',
      'r.status',
      'r.lifecycle',
      'r.createdBy',
      'r.startedAt',
      'r.finishedAt',
    ]);

/** Deleted ones too; null for unknown and foreign runs alike. */
export async function findRunRecord(tx: TenantTransaction, runId: string): Promise<RunRecord | null> {
  const run = await runs(tx).where('r.runId', '=', runId).executeTakeFirst();
  return run ? ((await withContents(tx, [run]))[0] ?? null) : null;
}

/** @param rows short ids; the answer has their order */
export async function listRunRecords(tx: TenantTransaction, rows: readonly number[]): Promise<RunRecord[]> {
  if (rows.length === 0) return [];
  const found = await runs(tx)
    .where('r.id', '=', anyOf([...rows]))
    .execute();
  const at = new Map(found.map((run) => [run.row, run]));
  return withContents(
    tx,
    rows.flatMap((row) => at.get(row) ?? []),
  );
}

type Bare = Omit<RunRecord, 'metrics' | 'params' | 'tags' | 'datasets' | 'models'>;
type Pairs = ReadonlyArray<readonly [string, string]>;
interface Contents {
  readonly run: number;
  readonly metrics: ReadonlyArray<readonly [name: string, value: string, ts: number, step: number]> | null;
  readonly params: Pairs | null;
  readonly tags: Pairs | null;
}

async function withContents(tx: TenantTransaction, bare: readonly Bare[]): Promise<RunRecord[]> {
  const ids = bare.map((run) => run.row);
  const contents = byRun(await tx.rows<Contents>(CONTENTS_OF_RUNS, [ids]));
  const datasets = byRun(await tx.rows<DatasetInput & { run: number }>(DATASETS_OF_RUNS, [ids]));
  const models = byRun(await tx.rows<RunModelLink & { run: number }>(MODELS_OF_RUNS, [ids]));
  return bare.map((run) => {
    const found = contents.get(run.row)?.[0];
    return {
      ...run,
      metrics: (found?.metrics ?? []).map(([key, value, ts, step]) => ({
        key,
        ts,
        step,
        value: Number(value),
      })),
      params: pairs(found?.params),
      tags: pairs(found?.tags),
      datasets: datasets.get(run.row) ?? [],
      models: models.get(run.row) ?? [],
    };
  });
}

const pairs = (found: Pairs | null | undefined) => (found ?? []).map(([key, value]) => ({ key, value }));

function byRun<T extends { readonly run: number }>(rows: readonly T[]): Map<number, T[]> {
  const groups = new Map<number, T[]>();
  for (const row of rows) {
    const known = groups.get(row.run);
    if (known) known.push(row);
    else groups.set(row.run, [row]);
  }
  return groups;
}
