import { type InferResult, sql } from 'kysely';
import {
  type CappedPage,
  cappedWindow,
  type PlaceParams,
  readPlace,
  toCappedPage,
} from '../../../core/paging/capped-page.js';
import type { ListQuery } from '../../../core/paging/page.js';
import { isUuid } from '../../../core/security/ids.js';
import { readableFrom } from '../../tenants/retention.queries.js';
import { countUpTo, microsecondsOf, timeOf } from '../../orm/capped-list.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { commandStateBy } from './command-state.sql.js';
import type { CommandState } from './command.types.js';

const COMMAND_STATE = sql<CommandState>`${sql.raw(commandStateBy('now()'))}`;
const STATE_BY_CLOCK = sql<CommandState>`${sql.raw(commandStateBy('clock_timestamp()'))}`;

const commands = (tx: TenantTransaction) =>
  tx.kysely.selectFrom('edge_command as c').where('c.tenantId', '=', tx.tenantId);

/**
 * Those of a device that people may read. Ended ones that go with the next removal are hidden, whether it has removed them yet or
 * not; a deployment keeps its own.
 */
const readable = (tx: TenantTransaction, deviceId: string) =>
  commands(tx)
    .where('c.deviceId', '=', deviceId)
    .where(({ eb, or, exists, selectFrom }) =>
      or([
        eb('c.finishedAt', 'is', null),
        eb('c.finishedAt', '>=', readableFrom(tx, 'logs')),
        exists(
          selectFrom('deployment_device as d')
            .whereRef('d.tenantId', '=', 'c.tenantId')
            .whereRef('d.commandId', '=', 'c.id')
            .select('d.id'),
        ),
      ]),
    );

const rowsOf = (some: ReturnType<typeof commands>) =>
  some
    .select(['c.id', 'c.type', 'c.args', 'c.expiresAt', 'c.deliveries', 'c.deliveredAt', 'c.leaseUntil'])
    .select(['c.progress', 'c.result', 'c.finishedAt', 'c.createdBy', 'c.createdAt', 'c.updatedAt'])
    .select(COMMAND_STATE.as('state'));

/** A command with its state by now. */
export type CommandRow = Readonly<InferResult<ReturnType<typeof rowsOf>>[number]>;

type CommandPlace = readonly [createdAtUs: number, id: string];

const isCommandPlace = (parts: unknown): parts is CommandPlace =>
  Array.isArray(parts) && parts.length === 2 && Number.isSafeInteger(parts[0]) && isUuid(parts[1]);

const isBehind = ([createdAtUs, id]: CommandPlace) =>
  sql<boolean>`(c.created_at, c.id) < (${timeOf(createdAtUs)}, ${id}::uuid)`;

/**
 * Commands of a device, newest first.
 * @param deviceId row id
 * @param state null: in any
 * @throws AppError unprocessable_entity for a bad `after` and for a numbered page beyond the matches that are counted
 */
export async function listCommands(
  tx: TenantTransaction,
  deviceId: string,
  query: ListQuery,
  params: PlaceParams,
  state: CommandState | null,
): Promise<CappedPage<CommandRow>> {
  const after = readPlace(params, isCommandPlace);
  const window = cappedWindow(query, after !== null);
  const found = await rowsOf(readable(tx, deviceId))
    .select(microsecondsOf('c.createdAt').as('createdAtUs'))
    .$if(state !== null, (only) => only.where(COMMAND_STATE, '=', state as CommandState))
    .$if(after !== null, (only) => only.where(isBehind(after as CommandPlace)))
    .orderBy('c.createdAt', 'desc')
    .orderBy('c.id', 'desc')
    .limit(window.limit)
    .offset(window.offset)
    .execute();
  const counted = await countUpTo(
    tx,
    readable(tx, deviceId)
      .$if(state !== null, (only) => only.where(COMMAND_STATE, '=', state as CommandState))
      .select('c.id'),
  );
  return toCappedPage(query, window, { rows: found, counted }, ({ createdAtUs, id }) => [createdAtUs, id]);
}

export const findCommand = async (tx: TenantTransaction, id: string): Promise<CommandRow> =>
  rowsOf(commands(tx)).where('c.id', '=', id).executeTakeFirstOrThrow();

/** The state of a command that is held, and the time of it by the clock of the database: that of a process may differ. */
export const stateOfHeld = async (
  tx: TenantTransaction,
  id: string,
): Promise<{ readonly state: CommandState; readonly now: Date }> =>
  commands(tx)
    .where('c.id', '=', id)
    .select(STATE_BY_CLOCK.as('state'))
    .select(sql<Date>`clock_timestamp()`.as('now'))
    .executeTakeFirstOrThrow();

/** The command of this type that the device is still to get, held until the transaction ends. @param deviceId row id */
export async function holdPending(
  tx: TenantTransaction,
  deviceId: string,
  type: string,
): Promise<string | null> {
  const found = await commands(tx)
    .select('c.id')
    .where('c.deviceId', '=', deviceId)
    .where('c.type', '=', type)
    .where(COMMAND_STATE, '=', 'pending')
    .limit(1)
    .forUpdate()
    .executeTakeFirst();
  return found?.id ?? null;
}

/** Commands of a device that have not ended. @param deviceId row id */
export async function countOpenCommands(tx: TenantTransaction, deviceId: string): Promise<number> {
  const { n } = await commands(tx)
    .where('c.deviceId', '=', deviceId)
    .where('c.state', 'in', ['pending', 'delivered'])
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow();
  return n;
}
