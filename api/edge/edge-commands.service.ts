import { fieldError, unprocessable } from '../../core/errors/app-error.js';
import type { CappedPage } from '../../core/paging/capped-page.js';
import { toListQuery } from '../../core/paging/page.js';
import type { Clock } from '../../core/ports/clock.js';
import type { EventBus } from '../../core/ports/event-bus.js';
import type { CommandFollower } from '../../models/edge/commands/command-follower.js';
import {
  acknowledgeCommand,
  askForRestart,
  createCommand,
} from '../../models/edge/commands/command.commands.js';
import { commandEvent } from '../../models/edge/commands/command-events.rules.js';
import { type CommandRow, listCommands } from '../../models/edge/commands/command.queries.js';
import type { DeliveredCommand } from '../../models/edge/commands/command.types.js';
import type { DeviceCaller } from '../../models/edge/devices/device-caller.types.js';
import { requireDevice } from '../../models/edge/devices/device.queries.js';
import { inDevice } from '../../models/edge/devices/in-device.js';
import type { TenantDatabase } from '../../models/orm/tenant-lane.js';
import type { Caller } from '../http/routing/request-context.js';
import { type CommandWaiters, heldMs } from './command-waiters.js';
import type { CommandAck, CommandCreate, CommandQuery } from './edge-commands.schemas.js';

const MAX_ARGS_CHARS = 65_536;

/** Commands: people give them, devices fetch and acknowledge them. */
export class EdgeCommandsService {
  constructor(
    private readonly db: TenantDatabase,
    /** For what devices say. */
    private readonly lane: TenantDatabase,
    private readonly waiters: CommandWaiters,
    private readonly events: EventBus,
    private readonly clock: Clock,
    /** By type of command. */
    private readonly followers: ReadonlyMap<string, CommandFollower>,
  ) {}

  list(caller: Caller, key: string, query: CommandQuery): Promise<CappedPage<CommandRow>> {
    const list = toListQuery(query, ['created_at'], 'desc');
    return this.db.inTenant(caller.tenant.tenantId, async (tx) => {
      const { id } = await requireDevice(tx, key);
      return listCommands(tx, id, list, query, query.state ?? null);
    });
  }

  async create(caller: Caller, key: string, body: CommandCreate): Promise<CommandRow> {
    const { type, args = {}, expires_in_s = null } = body;
    assertSmall('args', args);
    const follower = this.followers.get(type);
    if (follower)
      throw unprocessable([fieldError(['body', 'type'], `is asked for by ${follower.askedBy}, not by hand`)]);
    const { tenantId } = caller.tenant;
    const command = await this.db.inTenant(tenantId, (tx) =>
      createCommand(tx, caller.actor, key, { type, args, expiresInS: expires_in_s }),
    );
    this.events.publish([commandEvent({ tenantId, key }, command.id, command.state)]);
    return command;
  }

  async restart(caller: Caller, key: string): Promise<CommandRow> {
    const { tenantId } = caller.tenant;
    const command = await this.db.inTenant(tenantId, (tx) => askForRestart(tx, caller.actor, key));
    this.events.publish([commandEvent({ tenantId, key }, command.id, command.state)]);
    return command;
  }

  /**
   * @param left aborted when the device goes away
   * @param recheck throws once the device may not poll any more
   */
  async poll(
    caller: DeviceCaller,
    waitS: number,
    left: AbortSignal,
    recheck: () => Promise<unknown>,
  ): Promise<readonly DeliveredCommand[]> {
    const until = Date.now() + heldMs(waitS);
    for (;;) {
      const end = await this.waiters.poll(caller, Math.max(0, until - Date.now()), left, recheck);
      if (end === 'changed') continue;
      if (left.aborted) {
        await this.waiters.giveBack(end);
        return [];
      }
      this.events.publish(end.map(({ id }) => commandEvent(caller, id, 'delivered')));
      return end;
    }
  }

  /** The answer with them reached nobody: another poll gets them. */
  giveBack(commands: readonly DeliveredCommand[]): Promise<void> {
    return this.waiters.giveBack(commands);
  }

  async acknowledge(
    caller: DeviceCaller,
    id: string,
    { status, result = null }: CommandAck,
  ): Promise<CommandRow> {
    assertSmall('result', result);
    const { command, news } = await inDevice(this.lane, caller, async (tx) => {
      const { command, isNews } = await acknowledgeCommand(tx, caller.deviceId, id, status, result);
      if (!isNews) return { command, news: [] };
      const said = { commandId: id, type: command.type, status, result, isLate: isLate(command) };
      const news = (await this.followers.get(command.type)?.follow(tx, said, this.clock.now())) ?? [];
      return { command, news: [commandEvent(caller, id, command.state), ...news] };
    });
    this.events.publish(news);
    return command;
  }
}

const isLate = ({ expiresAt, progress, updatedAt }: CommandRow): boolean =>
  progress === null && expiresAt !== null && expiresAt <= updatedAt;

function assertSmall(field: string, value: unknown): void {
  if (JSON.stringify(value).length > MAX_ARGS_CHARS)
    throw unprocessable([fieldError(['body', field], 'must be at most 64 KiB of JSON')]);
}
