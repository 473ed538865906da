import type { StreamEvent } from '../../../core/events/stream-event.js';
import { commandEvent } from '../../edge/commands/command-events.rules.js';
import { deviceStepEvent } from '../deployment-events.rules.js';
import type { DeviceMove } from './follow-command.types.js';

/** Devices of one statement that get an event each; whoever watches more of them reads the list. */
export const MAX_EVENTS = 1000;

/** A command of a device that was written or ended. */
export interface CommandMove {
  readonly commandId: string;
  readonly deviceKey: string;
}

/** What one transaction does to devices, for those who watch: to be published once it is committed. */
export class DeviceEvents {
  private readonly collected: StreamEvent[] = [];

  constructor(private readonly tenantId: string) {}

  get all(): readonly StreamEvent[] {
    return this.collected;
  }

  moved(devices: readonly DeviceMove[]): void {
    this.collected.push(...devices.map((device) => deviceStepEvent(this.tenantId, device)));
  }

  commands(state: 'pending' | 'expired', commands: readonly CommandMove[]): void {
    const { tenantId } = this;
    this.collected.push(
      ...commands.map(({ deviceKey: key, commandId }) => commandEvent({ tenantId, key }, commandId, state)),
    );
  }
}
