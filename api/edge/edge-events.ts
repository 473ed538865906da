import type { StreamEvent } from '../../core/events/stream-event.js';
import type { DeviceStatus } from '../../models/edge/devices/device-status.rules.js';

/** A device as its watchers know it. */
export interface WatchedDevice {
  readonly tenantId: string;
  /** The id people use. */
  readonly key: string;
}

interface Reading {
  readonly cpu: number | null;
  readonly gpu: number | null;
  readonly mem: number | null;
  readonly disk: number | null;
}

const edgeEvent = (
  { tenantId, key }: WatchedDevice,
  event: string,
  data: StreamEvent['data'],
): StreamEvent => ({
  stream: 'edge',
  ...{ tenantId, id: key, event, data },
});

export const heartbeatEvent = (
  device: WatchedDevice,
  { status, cpu, gpu, mem, disk }: Reading & { readonly status: DeviceStatus },
): StreamEvent => edgeEvent(device, 'heartbeat', { status, cpu, gpu, mem, disk });

export const telemetryEvent = (device: WatchedDevice, count: number, kinds: readonly string[]): StreamEvent =>
  edgeEvent(device, 'telemetry', { count, kinds });

export const inferenceEvent = (device: WatchedDevice, count: number): StreamEvent =>
  edgeEvent(device, 'inference', { count });

/** @param received how many chunks there are */
export const uploadEvent = (
  device: WatchedDevice,
  uploadId: string,
  state: string,
  received: number,
): StreamEvent => edgeEvent(device, 'upload', { upload_id: uploadId, state, received });

/** After which a stream of the device ends. */
export const deletedEvent = (device: WatchedDevice): StreamEvent => edgeEvent(device, 'deleted', {});
