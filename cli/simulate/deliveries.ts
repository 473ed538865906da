import { deliveredAt } from './known-commands.js';
import type { DeliveredCommand } from './simulation.types.js';

/**
 * When commands were delivered, by the clock of this process, which may be set otherwise than the platform's. The answers that
 * were quickest on their way say how far the two are apart; all devices share what theirs have said.
 */
export class Deliveries {
  private apartMs = Number.NEGATIVE_INFINITY;

  /** @param command whose answer has come at this moment @returns as `performance.now()` counts */
  momentOf(command: DeliveredCommand): number {
    const at = deliveredAt(command);
    this.apartMs = Math.max(this.apartMs, at - performance.now());
    return at - this.apartMs;
  }
}
