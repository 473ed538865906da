import type { EventBus } from '../../core/ports/event-bus.js';
import { type WatchedDevice, inferenceEvent, telemetryEvent } from './edge-events.js';

const EVERY_MS = 250;
/** Kinds that one event names at most. */
const MAX_KINDS = 20;

interface Gathered {
  readonly device: WatchedDevice;
  telemetry: number;
  inference: number;
  readonly kinds: Set<string>;
}

/** Announces what devices sent to those who watch, at most four times a second for each device and never in the way of a commit. */
export class RecordEvents {
  private readonly gathered = new Map<string, Gathered>();
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly events: EventBus) {}

  telemetry(device: WatchedDevice, records: ReadonlyArray<{ readonly kind: string }>): void {
    const gathered = this.of(device);
    gathered.telemetry += records.length;
    for (const { kind } of records) {
      if (gathered.kinds.size >= MAX_KINDS) break;
      gathered.kinds.add(kind);
    }
  }

  inference(device: WatchedDevice, count: number): void {
    this.of(device).inference += count;
  }

  close(): void {
    this.publish();
  }

  private of({ tenantId, key }: WatchedDevice): Gathered {
    const place = `${tenantId} ${key}`;
    const known = this.gathered.get(place);
    if (known) return known;
    const made = { device: { tenantId, key }, telemetry: 0, inference: 0, kinds: new Set<string>() };
    this.gathered.set(place, made);
    this.timer ??= setTimeout(() => this.publish(), EVERY_MS);
    return made;
  }

  private publish(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    const all = [...this.gathered.values()];
    this.gathered.clear();
    this.events.publish(
      all.flatMap(({ device, telemetry, inference, kinds }) => [
        ...(telemetry > 0 ? [telemetryEvent(device, telemetry, [...kinds])] : []),
        ...(inference > 0 ? [inferenceEvent(device, inference)] : []),
      ]),
    );
  }
}
