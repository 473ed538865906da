import { createPostgresEventBus } from '../../../adapters/postgres/postgres-event-bus.js';
import { parseEvents } from '../../../api/streams/stream-events.js';
import { EVENTS_CHANNEL, type StreamEvent } from '../../../core/events/stream-event.js';
import { Listener } from '../../../models/orm/listener.js';
import { testDatabase } from '../../setup/engines.js';
import { describeEventBus } from './event-bus.contract.js';

const opened = (connectionString: string) =>
  createPostgresEventBus({ connectionString, applicationName: 'test-bus' });

describeEventBus(
  'notifications of PostgreSQL',
  async () => {
    const { appUrl, platformUrl, drop } = await testDatabase();
    const received: StreamEvent[] = [];
    const listener = new Listener({ connectionString: platformUrl, applicationName: 'test-listen' });
    listener.subscribe({
      channel: EVENTS_CHANNEL,
      onNotify: (payload) => void received.push(...parseEvents(payload)),
    });
    await listener.start();
    const bus = opened(appUrl);
    const close = async () => {
      await bus.close();
      await listener.stop();
      await drop();
    };
    return { bus, received, close };
  },
  async () => {
    const bus = opened('postgresql://nobody@127.0.0.1:1/nowhere');
    return { bus, close: () => bus.close() };
  },
);
