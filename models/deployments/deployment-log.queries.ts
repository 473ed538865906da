import { encodePlace, readCursor } from '../../core/paging/capped-page.js';
import { MAX_PLAIN_LIST } from '../../core/paging/page.js';
import type { TenantTransaction } from '../orm/transaction.js';
import { readableFrom } from '../tenants/retention.queries.js';
import { type DeviceStep, OVER_STATUSES } from './deployment.types.js';

export interface DeploymentLogRow {
  readonly at: Date;
  readonly step: DeviceStep | null;
  readonly deviceKey: string | null;
  readonly message: string;
}

/** Null: of any, and of the deployment as a whole. */
export interface LogFilter {
  readonly step: DeviceStep | null;
  /** Key. */
  readonly device: string | null;
}

export interface LogPage {
  /** Oldest first. */
  readonly items: readonly DeploymentLogRow[];
  /** On all pages. */
  readonly total: number;
  /** Cursor of the lines before these; null: there are none. */
  readonly nextCursor: string | null;
}

type LogPlace = readonly [id: number];

const isPlace = (parts: unknown): parts is LogPlace =>
  Array.isArray(parts) && parts.length === 1 && Number.isSafeInteger(parts[0]);

/** Lines of a deployment. Those that go with the next removal are hidden, whether it has removed them yet or not. */
function readableLines(tx: TenantTransaction, deploymentId: string) {
  const since = readableFrom(tx, 'logs');
  const over = tx.kysely
    .selectFrom('deployment')
    .where('tenantId', '=', tx.tenantId)
    .where('id', '=', deploymentId)
    .where('status', 'in', OVER_STATUSES)
    .where('finishedAt', '<', since)
    .select('id');
  return tx.kysely
    .selectFrom('deployment_log')
    .where('tenantId', '=', tx.tenantId)
    .where('deploymentId', '=', deploymentId)
    .where(({ eb, or, not, exists }) => or([eb('at', '>=', since), not(exists(over))]));
}

/**
 * The latest lines, or the latest of those before a cursor.
 * @throws AppError unprocessable_entity for a cursor of something else
 */
export async function listDeploymentLog(
  tx: TenantTransaction,
  deploymentId: string,
  { step, device }: LogFilter,
  { cursor, limit = MAX_PLAIN_LIST }: { readonly cursor?: string; readonly limit?: number },
): Promise<LogPage> {
  const before = readCursor(cursor, isPlace);
  const lines = readableLines(tx, deploymentId)
    .$if(step !== null, (all) => all.where('step', '=', step as DeviceStep))
    .$if(device !== null, (all) => all.where('deviceKey', '=', device as string));
  const { total } = await lines
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const found = await lines
    .select(['id', 'at', 'step', 'deviceKey', 'message'])
    .$if(before !== null, (all) => all.where('id', '<', (before as LogPlace)[0]))
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute();
  const items = found.slice(0, limit).reverse();
  const [oldest] = items;
  const nextCursor = found.length > limit && oldest ? encodePlace([oldest.id]) : null;
  return { items, total, nextCursor };
}
