import type { ListQuery, Page } from '../../core/paging/page.js';
import { toPage } from '../../core/paging/page.js';
import type { TenantTransaction } from '../orm/transaction.js';
import { kindsOfRole, administratorKinds } from './notification-catalog.rules.js';
import type { Role } from '../accounts/permission.rules.js';
import type { NotificationRow } from './notification.types.js';

/** Whose feed it is, with what they may see in the tenant of the transaction. */
export interface Reader {
  readonly userId: string;
  readonly role: Role;
  readonly isGlobalAdmin: boolean;
}

const COLUMNS = `n.id, case when n.tenant_id is null then null else (select code from tenant t where t.id = n.tenant_id) end as tenant_code,
  n.kind, n.title, n.body, n.link, n.count, n.created_at, n.updated_at, n.read_at`;

/** Parameters $1 person, $2 tenant, $3 kinds of the role, $4 kinds withheld from who is no global administrator. */
const MINE = `n.user_id = $1 and n.in_app and ((n.tenant_id = $2 and (n.is_personal or n.kind = any($3::text[]))) or (n.tenant_id is null and n.kind <> all($4::text[])))`;

const mine = (tx: TenantTransaction, reader: Reader): unknown[] => [reader.userId, tx.tenantId, kindsOfRole(reader.role), reader.isGlobalAdmin ? [] : administratorKinds()];

/** Row-level security shows notifications to their own person alone: says who that is, until the transaction ends. */
const readAs = (tx: TenantTransaction, { userId }: Reader): Promise<unknown> => tx.query("select set_config('app.user', $1, true)", [userId]);

/** The reader's entries of the tenant and those that belong to no tenant; the latest happening first. */
export async function listFeed(tx: TenantTransaction, reader: Reader, query: ListQuery, unread: boolean | null): Promise<Page<NotificationRow>> {
  await readAs(tx, reader);
  const where = `${MINE} and ($5::boolean is null or (n.read_at is null) = $5)`;
  const params = [...mine(tx, reader), unread];
  const [counted] = await tx.query<{ total: number }>(`select count(*) as total from notification n where ${where}`, params);
  const items = await tx.query<NotificationRow & Record<string, unknown>>(
    `select ${COLUMNS} from notification n where ${where} order by n.updated_at desc, n.id desc limit $6 offset $7`,
    [...params, query.pageSize, query.offset],
  );
  return toPage(query, items, counted?.total ?? 0);
}

/** Idempotent. @returns the entry and whether it was unread; null when it is not the reader's or not of this tenant */
export async function markRead(tx: TenantTransaction, reader: Reader, id: string): Promise<{ row: NotificationRow; changed: boolean } | null> {
  await readAs(tx, reader);
  const params = [...mine(tx, reader), id];
  const changed = await tx.execute(`update notification n set read_at = now() where ${MINE} and n.id = $5 and n.read_at is null`, params);
  const [row] = await tx.query<NotificationRow & Record<string, unknown>>(`select ${COLUMNS} from notification n where ${MINE} and n.id = $5`, params);
  return row ? { row, changed: changed > 0 } : null;
}

/**
 * Marks what the feed of this tenant shows. An entry that grows at this very moment stays unread: waiting for it could
 * hold two transactions against each other. @returns how many were unread
 */
export async function markAllRead(tx: TenantTransaction, reader: Reader): Promise<number> {
  await readAs(tx, reader);
  return tx.execute(
    `update notification set read_at = now() where id in (select n.id from notification n where ${MINE} and n.read_at is null for no key update skip locked)`,
    mine(tx, reader),
  );
}
