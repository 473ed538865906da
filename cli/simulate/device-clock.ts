import type { Random } from './random.js';

/** What clocks of the field show that have lost their battery, or were set wrong. */
const WRONG = [Date.UTC(1970, 0, 1), Date.UTC(2100, 0, 1)];

/** The clock of a device, which runs evenly and may show a wrong time. */
export class DeviceClock {
  private readonly offsetMs: number;

  /** @param isSkewed true: it began in 1970 or 2100 */
  constructor(random: Random, isSkewed: boolean) {
    const at = WRONG[Math.floor(random.next() * WRONG.length)] as number;
    this.offsetMs = isSkewed ? at - Date.now() : 0;
  }

  /** ISO 8601. */
  now(): string {
    return new Date(Date.now() + this.offsetMs).toISOString();
  }
}
