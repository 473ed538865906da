import type { StreamEvent } from '../../../core/events/stream-event.js';

/** For those who watch a device: what became of a command. @param device by the id people use */
export const commandEvent = (
  device: { readonly tenantId: string; readonly key: string },
  commandId: string,
  state: string,
): StreamEvent => ({
  ...{ stream: 'edge', tenantId: device.tenantId, id: device.key, event: 'command' },
  data: { command_id: commandId, state },
});
