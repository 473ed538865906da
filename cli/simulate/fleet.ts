import { setMaxListeners } from 'node:events';
import { Deliveries } from './deliveries.js';
import { SimulatedDevice, type DeviceFacts } from './device.js';
import type { FleetRegistry } from './fleet-registry.js';
import { Figures } from './figures.js';
import type { SimulationLedger, SimulationOptions } from './simulation.types.js';

/** Devices that live side by side in this process. */
export class Fleet {
  private constructor(
    private readonly registry: FleetRegistry,
    private readonly devices: readonly SimulatedDevice[],
    private readonly ids: readonly string[],
    readonly figures: Figures,
  ) {}

  /** Makes the devices known to the platform. Their tokens stay in memory. @param onEach called for each with how many there are */
  static async register(
    options: SimulationOptions,
    registry: FleetRegistry,
    ledger: SimulationLedger,
    onEach: (done: number) => void = () => undefined,
  ): Promise<Fleet> {
    const ids = Array.from({ length: options.count }, (_, index) => `${options.prefix}-${index + 1}`);
    const tokens = await registry.register(ids, onEach);
    const figures = new Figures();
    const deliveries = new Deliveries();
    const devices = ids.map((id, index) => {
      const facts: DeviceFacts = { id, index, token: tokens.get(id) as string, deliveries };
      return new SimulatedDevice(facts, options, figures, ledger);
    });
    return new Fleet(registry, devices, ids, figures);
  }

  /** Until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    setMaxListeners(0, signal);
    await Promise.all(this.devices.map((device) => device.run(signal)));
  }

  /** Deletes the devices with all that they sent. */
  remove(): Promise<void> {
    return this.registry.remove(this.ids);
  }
}
