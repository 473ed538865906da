import { type InferResult, sql } from 'kysely';
import { type ListQuery, type Page, toPage } from '../../../core/paging/page.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import type { CommandState } from './command.types.js';

/** The rule of `commandState` over a command `c`. */
const COMMAND_STATE = sql<CommandState>`case
  when c.state = 'pending' or (c.state = 'delivered' and c.lease_until <= now())
    then case when c.expires_at <= now() then 'expired' else 'pending' end
  else c.state end`;

const commands = (tx: TenantTransaction) =>
  tx.kysely.selectFrom('edge_command as c').where('c.tenantId', '=', tx.tenantId);

const rows = (tx: TenantTransaction) =>
  commands(tx)
    .select(['c.id', 'c.type', 'c.args', 'c.expiresAt', 'c.deliveries', 'c.deliveredAt', 'c.leaseUntil'])
    .select(['c.progress', 'c.result', 'c.finishedAt', 'c.createdBy', 'c.createdAt', 'c.updatedAt'])
    .select(COMMAND_STATE.as('state'));

/** A command with its state by now. */
export type CommandRow = Readonly<InferResult<ReturnType<typeof rows>>[number]>;

/** Commands of a device, newest first. @param deviceId row id @param state null: in any */
export async function listCommands(
  tx: TenantTransaction,
  deviceId: string,
  query: ListQuery,
  state: CommandState | null,
): Promise<Page<CommandRow>> {
  const { total } = await commands(tx)
    .where('c.deviceId', '=', deviceId)
    .$if(state !== null, (only) => only.where(COMMAND_STATE, '=', state as CommandState))
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const items = await rows(tx)
    .where('c.deviceId', '=', deviceId)
    .$if(state !== null, (only) => only.where(COMMAND_STATE, '=', state as CommandState))
    .orderBy('c.createdAt', 'desc')
    .orderBy('c.id')
    .limit(query.pageSize)
    .offset(query.offset)
    .execute();
  return toPage(query, items, total);
}

export const findCommand = async (tx: TenantTransaction, id: string): Promise<CommandRow> =>
  rows(tx).where('c.id', '=', id).executeTakeFirstOrThrow();

/** Commands of a device that have not ended. @param deviceId row id */
export async function countOpenCommands(tx: TenantTransaction, deviceId: string): Promise<number> {
  const { n } = await commands(tx)
    .where('c.deviceId', '=', deviceId)
    .where('c.state', 'in', ['pending', 'delivered'])
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow();
  return n;
}
