import type { Transaction } from '../orm/transaction.js';

export type DispatchLane = 'work' | 'mail';

/** An entry as the table has it. */
export interface LeasedRow {
  readonly id: number;
  readonly tenantId: string | null;
  readonly kind: string;
  readonly workflowId: string | null;
  readonly payload: unknown;
  readonly attempts: number;
  readonly isUnclear: boolean;
}

export interface NewRow {
  readonly tenantId: string | null;
  readonly kind: string;
  readonly workflowId: string | null;
  readonly payload: unknown;
}

export const insertEntries = (tx: Transaction, rows: readonly NewRow[]): Promise<number> =>
  tx.execute(
    `insert into dispatch -- hot: with nearly every change of a resource
       (tenant_id, kind, workflow_id, payload)
     select tenant, kind, workflow, payload
     from unnest($1::uuid[], $2::text[], $3::text[], $4::jsonb[])
       with ordinality as e (tenant, kind, workflow, payload, place)
     order by place`,
    [
      rows.map((row) => row.tenantId),
      rows.map((row) => row.kind),
      rows.map((row) => row.workflowId),
      rows.map((row) => JSON.stringify(row.payload)),
    ],
  );

/** Entries of a lane that nothing stands before; $1 is whether it is that of mails. */
const IN_TURN = `(d.kind in ('mail', 'mail-removal')) = $1
  and not exists (select 1 from tenant_deletion x where x.erased_tenant = d.tenant_id)
  and (d.workflow_id is null
    or not exists (
      select 1 from dispatch older where older.workflow_id = d.workflow_id and older.id < d.id))`;

export const leaseEntries = (
  tx: Transaction,
  lane: DispatchLane,
  limit: number,
  leaseS: number,
): Promise<LeasedRow[]> =>
  tx.rows<LeasedRow>(
    `update dispatch -- hot: every worker asks whenever something was written
     set next_attempt_at = clock_timestamp() + make_interval(secs => $2), attempts = attempts + 1
     where id in (
       select d.id from dispatch d where d.next_attempt_at <= clock_timestamp() and ${IN_TURN}
       order by d.next_attempt_at, d.id limit $3 for update skip locked)
     returning id, tenant_id, kind, workflow_id, payload, attempts,
       handing_over_at is not null as is_unclear`,
    [lane === 'mail', leaseS, limit],
  );

export async function entriesDueInMs(tx: Transaction, lane: DispatchLane): Promise<number | null> {
  const [row] = await tx.rows<{ ms: number | null }>(
    `select (extract(epoch from min(d.next_attempt_at) - clock_timestamp()) * 1000)::float8 as ms
     from dispatch d where d.given_up_at is null and ${IN_TURN}`,
    [lane === 'mail'],
  );
  return row?.ms ?? null;
}

export const removeEntries = async (tx: Transaction, ids: readonly number[]): Promise<void> => {
  if (ids.length > 0)
    await tx.execute('delete from dispatch where id = any($1) -- hot: whatever was delivered', [ids]);
};

export const writeHandOver = (tx: Transaction, id: number): Promise<number> =>
  tx.execute('update dispatch set handing_over_at = clock_timestamp() where id = $1 -- hot: every mail', [
    id,
  ]);

export const postponeEntry = (tx: Transaction, id: number, delayS: number, error: string): Promise<number> =>
  tx.execute(
    `update dispatch -- hot: every delivery that failed, by the clock that leases go by
     set next_attempt_at = clock_timestamp() + make_interval(secs => $2), last_error = $3, handing_over_at = null
     where id = $1`,
    [id, delayS, error],
  );

/** Counts a refusal; the last one sets the entry aside. @param most refusals @returns whether it was given up now */
export async function countRefusal(
  tx: Transaction,
  id: number,
  delayS: number,
  error: string,
  most: number,
): Promise<boolean> {
  const [row] = await tx.rows<{ isGivenUp: boolean }>(
    `update dispatch -- hot: every delivery that was refused, by the clock that leases go by
     set refusals = refusals + 1, last_error = $3, handing_over_at = null,
       given_up_at = case when refusals + 1 >= $4::int then clock_timestamp() end,
       next_attempt_at = case when refusals + 1 >= $4::int then 'infinity'
         else clock_timestamp() + make_interval(secs => $2) end
     where id = $1 returning given_up_at is not null as is_given_up`,
    [id, delayS, error, most],
  );
  return row?.isGivenUp ?? false;
}

export const takeUpAgain = (tx: Transaction): Promise<number> =>
  tx.execute(
    `update dispatch -- set: everything that was given up
     set given_up_at = null, refusals = 0, next_attempt_at = clock_timestamp() where given_up_at is not null`,
  );
