import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { StreamEvent } from '../../../core/events/stream-event.js';
import type { EventBus } from '../../../core/ports/event-bus.js';

export interface BusUnderTest {
  readonly bus: EventBus;
  /** What a listening process has got by now, in order. */
  readonly received: readonly StreamEvent[];
  close(): Promise<void>;
}

const tenantId = randomUUID();
const event = (data: Record<string, unknown>): StreamEvent => ({
  stream: 'experiment-logs',
  tenantId,
  id: 'e1',
  event: 'progress',
  data,
});

/**
 * What every event bus does, whatever carries the events.
 * @param openAway a bus whose carrier cannot be reached
 */
export function describeEventBus(
  name: string,
  open: () => Promise<BusUnderTest>,
  openAway: () => Promise<Omit<BusUnderTest, 'received'>>,
): void {
  describe(`an event bus: ${name}`, () => {
    let under: BusUnderTest;
    beforeEach(async () => {
      under = await open();
    });
    afterEach(() => under.close());

    const arrived = async (count: number): Promise<readonly StreamEvent[]> => {
      for (let left = 250; left > 0 && under.received.length < count; left -= 1) await sleep(20);
      return under.received;
    };

    it('delivers by itself what was published, whole and in order', async () => {
      const events = [event({ n: 1, text: 'ä' }), { ...event({ n: 2 }), tenantId: null }];
      under.bus.publish(events);
      expect(await arrived(2)).toEqual(events);
    });

    it('delivers equal events as often as they were published', async () => {
      for (let left = 3; left > 0; left -= 1) {
        under.bus.publish([event({}), event({})]);
        await under.bus.flush();
      }
      expect(await arrived(6)).toHaveLength(6);
    });

    it('carries hundreds of events at once, and of one that is too large that it came', async () => {
      const many = Array.from({ length: 300 }, (_, n) => event({ n, fill: 'ä'.repeat(50) }));
      under.bus.publish(many);
      under.bus.publish([event({ text: 'x'.repeat(20_000) })]);
      await under.bus.flush();
      expect(await arrived(301)).toEqual([...many, event({})]);
    });

    it('takes events and throws nothing while its carrier is away', async () => {
      const away = await openAway();
      away.bus.publish([event({})]);
      await away.bus.flush();
      await away.close();
    });
  });
}
