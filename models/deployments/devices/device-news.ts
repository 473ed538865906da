import type { StreamEvent } from '../../../core/events/stream-event.js';
import { commandEvent } from '../../edge/commands/command-events.rules.js';
import { deviceStepEvent } from '../deployment-events.rules.js';
import type { DeviceMove } from './follow-command.types.js';

/** Devices that one statement tells of; who watches more of them reads the list. */
export const MOST_TOLD = 1000;

/** A command of a device that was written or ended. */
export interface CommandMove {
  readonly commandId: string;
  readonly deviceKey: string;
}

/** What one transaction does to devices, for those who watch: to be published once it is committed. */
export class DeviceNews {
  private readonly told: StreamEvent[] = [];

  constructor(private readonly tenantId: string) {}

  get events(): readonly StreamEvent[] {
    return this.told;
  }

  moved(devices: readonly DeviceMove[]): void {
    this.told.push(...devices.map((device) => deviceStepEvent(this.tenantId, device)));
  }

  commands(state: 'pending' | 'expired', commands: readonly CommandMove[]): void {
    const { tenantId } = this;
    this.told.push(
      ...commands.map(({ deviceKey: key, commandId }) => commandEvent({ tenantId, key }, commandId, state)),
    );
  }
}
