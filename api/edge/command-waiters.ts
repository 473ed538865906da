import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../core/errors/app-error.js';
import { COMMANDS_CHANNEL } from '../../models/edge/commands/wake-devices.sql.js';
import type { DeliveredCommand } from '../../models/edge/commands/command.types.js';
import { AUTH_CHANNEL, type AuthChange } from '../../models/access/auth-change.js';
import { deliverCommands, returnCommands } from '../../models/edge/fleet.platform.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { Listener } from '../../models/orm/listener.js';

/** How long a device may ask to wait; a longer wait is cut to this. */
const MAX_WAIT_S = 60;
/** A wait of no more than this is kept to. */
const EXACT_WAIT_S = 5;

/**
 * How long a poll is held in which nothing comes, in milliseconds. Long ones end up to a tenth sooner, at random: those of a
 * fleet that began together would go on in step.
 */
export function heldMs(waitS: number): number {
  const ms = Math.min(waitS, MAX_WAIT_S) * 1000;
  return waitS > EXACT_WAIT_S ? ms * (1 - Math.random() / 10) : ms;
}

/** What a poll ends with. `changed`: whether the device may still poll has to be asked again. */
export type PollEnd = readonly DeliveredCommand[] | 'changed';

interface Waiter {
  readonly tenantId: string;
  readonly end: (how: PollEnd) => void;
  readonly fail: (error: unknown) => void;
  /** True: it ends with nothing as soon as nothing was found. */
  readonly isImpatient: boolean;
  /** Nothing is delivered to it before it was asked whether its device may still poll. */
  isAllowed: boolean;
}

/** Devices of one statement: one that is slow or fails costs no more of them. */
const MOST = 500;
/** After a statement that failed. */
const PAUSE_MS = 1000;

const NONE: readonly DeliveredCommand[] = [];

/**
 * Devices of this process that wait for commands. A waiting device holds a promise and a timer, and no connection: it is called
 * by a notification, and all that were called together share one statement.
 */
export class CommandWaiters {
  private readonly waiters = new Map<string, Waiter>();
  private called = new Set<string>();
  private isServing = false;
  private isClosed = false;
  private readonly unsubscribe: Array<() => void>;

  constructor(
    private readonly db: Database,
    listener: Listener,
  ) {
    this.unsubscribe = [
      listener.subscribe({
        channel: COMMANDS_CHANNEL,
        onNotify: (deviceId) => this.call(deviceId),
      }),
      // The cache of callers subscribed first, so it has dropped the caller by now.
      listener.subscribe({
        channel: AUTH_CHANNEL,
        onNotify: (payload) => this.onAuthChange(JSON.parse(payload) as AuthChange),
        // Blocks and calls were missed while the listener was down.
        onUp: () => this.endWhere(() => true, 'changed'),
      }),
    ];
  }

  get size(): number {
    return this.waiters.size;
  }

  /**
   * What there is for a device, else what comes within `waitMs`, else nothing. A newer poll of the device ends an older one with
   * nothing, and so does `left`.
   * @param recheck throws where the device may not poll any more: a change between its authentication and this call ended
   *   nothing, as nobody waited yet
   */
  poll(
    device: { readonly deviceId: string; readonly tenantId: string },
    waitMs: number,
    left: AbortSignal,
    recheck: () => Promise<unknown>,
  ): Promise<PollEnd> {
    const { deviceId, tenantId } = device;
    if (left.aborted) return Promise.resolve(NONE);
    this.waiters.get(deviceId)?.end(NONE);
    return new Promise((resolve, reject) => {
      const timer = waitMs > 0 ? setTimeout(() => waiter.end(NONE), waitMs) : undefined;
      const leave = () => waiter.end(NONE);
      const over = () => {
        clearTimeout(timer);
        left.removeEventListener('abort', leave);
        if (this.waiters.get(deviceId) === waiter) this.waiters.delete(deviceId);
      };
      const waiter: Waiter = {
        tenantId,
        isImpatient: waitMs === 0 || this.isClosed,
        isAllowed: false,
        end: (how) => {
          over();
          resolve(how);
        },
        fail: (error) => {
          over();
          reject(error as Error);
        },
      };
      left.addEventListener('abort', leave);
      this.waiters.set(deviceId, waiter);
      recheck().then(() => {
        waiter.isAllowed = true;
        this.call(deviceId);
      }, waiter.fail);
    });
  }

  /** Commands that were taken and reached nobody. */
  giveBack(commands: readonly DeliveredCommand[]): Promise<void> {
    return returnCommands(this.db, commands);
  }

  /** Ends all polls with nothing; devices come back elsewhere or later. */
  close(): void {
    this.isClosed = true;
    for (const unsubscribe of this.unsubscribe) unsubscribe();
    this.endWhere(() => true, NONE);
  }

  private onAuthChange({ deviceId, tenantId }: AuthChange): void {
    if (deviceId !== undefined) this.waiters.get(deviceId)?.end('changed');
    if (tenantId !== undefined) this.endWhere((waiter) => waiter.tenantId === tenantId, 'changed');
  }

  private endWhere(isMeant: (waiter: Waiter) => boolean, how: PollEnd): void {
    for (const waiter of [...this.waiters.values()]) if (isMeant(waiter)) waiter.end(how);
  }

  private call(deviceId: string): void {
    if (!this.waiters.get(deviceId)?.isAllowed) return;
    this.called.add(deviceId);
    if (this.isServing) return;
    this.isServing = true;
    // Those that are called in the same turn of the event loop share a statement.
    setImmediate(() => void this.serve());
  }

  private async serve(): Promise<void> {
    while (this.called.size > 0) {
      const deviceIds = this.takeCalled();
      if (deviceIds.length === 0) continue;
      try {
        this.deliver(deviceIds, await deliverCommands(this.db, deviceIds));
      } catch (error) {
        await this.failed(deviceIds, error);
      }
    }
    this.isServing = false;
  }

  /** The devices of one statement; those first that cannot wait. */
  private takeCalled(): string[] {
    // A poll that took the place of the called one calls by itself once it was asked.
    const called = [...this.called].filter((id) => this.waiters.get(id)?.isAllowed);
    const isFirst = (id: string) => this.waiters.get(id)?.isImpatient === true;
    const inOrder = [...called.filter(isFirst), ...called.filter((id) => !isFirst(id))];
    this.called = new Set(inOrder.slice(MOST));
    return inOrder.slice(0, MOST);
  }

  /** What is passing may be over in a moment: who has time left waits on, until its own end at most. */
  private async failed(deviceIds: readonly string[], error: unknown): Promise<void> {
    const isPassing = error instanceof AppError && error.code === 'service_unavailable';
    for (const id of deviceIds) {
      const waiter = this.waiters.get(id);
      if (!waiter?.isAllowed) continue;
      if (isPassing && !waiter.isImpatient) this.called.add(id);
      else waiter.fail(error);
    }
    if (isPassing && this.called.size > 0) await sleep(PAUSE_MS);
  }

  private deliver(deviceIds: readonly string[], claimed: readonly DeliveredCommand[]): void {
    const byDevice = Map.groupBy(claimed, ({ deviceId }) => deviceId);
    const untaken: DeliveredCommand[] = [];
    for (const id of deviceIds) {
      const commands = byDevice.get(id) ?? NONE;
      const waiter = this.waiters.get(id);
      // A poll that took the place of the called one may not be asked yet.
      if (!waiter?.isAllowed) untaken.push(...commands);
      else if (commands.length > 0 || waiter.isImpatient) waiter.end(commands);
    }
    void this.giveBack(untaken).catch(() => undefined);
  }
}
