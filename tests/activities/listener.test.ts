import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { Listener } from '../../models/orm/listener.js';
import { StateWaits } from '../../models/orm/state-waits.js';
import { type TestDatabase, testDatabase } from '../setup/engines.js';

const TEST_EVERY_MS = 300;
/** Each step of a test has five seconds: to connect, to send, and for the connection itself to answer. */
const NOTICED_WITHIN_MS = TEST_EVERY_MS + 15_000;

describe('the listening connection', () => {
  let clone: TestDatabase;
  const ends: Array<() => unknown> = [];
  beforeAll(async () => void (clone = await testDatabase()));
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });
  afterAll(() => clone.drop());

  const listening = (connectionString: string) => {
    const listener = new Listener({
      connectionString,
      applicationName: 'listener-test',
      testEveryMs: TEST_EVERY_MS,
    });
    const seen: string[] = [];
    listener.subscribe({
      channel: 'calls',
      onNotify: (payload) => seen.push(payload),
      onUp: () => seen.push('up'),
      onDown: () => seen.push('down'),
    });
    ends.push(() => listener.stop());
    return { listener, seen };
  };
  const until = async (check: () => boolean, withinMs: number) => {
    const startedAt = performance.now();
    while (!check() && performance.now() - startedAt < withinMs)
      await new Promise((done) => setTimeout(done, 20));
    expect(check()).toBe(true);
    return performance.now() - startedAt;
  };
  const send = async (payload: string) => {
    const client = new pg.Client({ connectionString: clone.appUrl });
    await client.connect();
    await client.query("select pg_notify('calls', $1)", [payload]);
    await client.end();
  };

  /** In front of the database; connections can be frozen: open, and nothing passes any more. */
  const frontOf = async (url: string) => {
    const target = new URL(url);
    const { hostname } = target;
    const port = Number(target.port);
    const pairs = new Set<[Socket, Socket]>();
    const server: Server = createServer((near) => {
      const far = connect(port, hostname);
      const pair: [Socket, Socket] = [near, far];
      pairs.add(pair);
      for (const [one, other] of [pair, [far, near] as const]) {
        one.on('error', () => undefined).on('close', () => other.destroy());
        one.pipe(other);
      }
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    target.port = String((server.address() as AddressInfo).port);
    ends.push(() => {
      for (const pair of pairs) for (const socket of pair) socket.destroy();
      server.close();
    });
    return {
      url: target.href,
      freeze: () => {
        for (const [near, far] of pairs) {
          near.unpipe(far).pause();
          far.unpipe(near).pause();
        }
      },
    };
  };

  it('is up once it has heard itself, and says what arrives', async () => {
    const { listener, seen } = listening(clone.appUrl);
    expect(listener.problem).toBe('not connected yet');
    await listener.start();
    expect([listener.isUp, listener.problem]).toEqual([true, null]);
    await send('one');
    await until(() => seen.includes('one'), 2000);
    expect(seen).toEqual(['up', 'one']);
  });

  it('notices within a bounded time that nothing passes any more, says so, and listens again elsewhere', async () => {
    const front = await frontOf(clone.appUrl);
    const { listener, seen } = listening(front.url);
    await listener.start();
    expect(listener.isUp).toBe(true);
    front.freeze();
    const tookMs = await until(() => seen.includes('down'), NOTICED_WITHIN_MS + 20_000);
    expect(tookMs).toBeLessThan(NOTICED_WITHIN_MS + 15_000);
    // Frozen while it was being tested, it is the question that gets no answer.
    await expect(listener.check()).rejects.toThrow(/does not arrive|timeout/i);
    await until(() => listener.isUp, 10_000);
    await send('two');
    await until(() => seen.includes('two'), 2000);
    expect(seen).toEqual(['up', 'down', 'up', 'two']);
  });

  it('lets whoever waits for a row read at once when it is lost', async () => {
    const { listener } = listening(clone.appUrl);
    // Nothing but the loss makes it read again before the test is given up.
    const states = new StateWaits(listener, () => 3_600_000);
    await listener.start();
    let reads = 0;
    const waiting = states.until(
      'row',
      async () => {
        reads += 1;
        return reads;
      },
      (count) => count === 2,
      { withinMs: 3_600_000 },
    );
    await new Promise((done) => setTimeout(done, 100));
    expect(reads).toBe(1);
    const owner = new pg.Client({ connectionString: clone.ownerUrl });
    await owner.connect();
    await owner.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'listener-test' and datname = current_database()",
    );
    await owner.end();
    expect(await waiting).toBe(2);
  });

  it('keeps a connection that works while the database takes no other', async () => {
    const owner = new pg.Client({ connectionString: clone.ownerUrl });
    await owner.connect();
    ends.push(() => owner.end());
    const { listener, seen } = listening(clone.appUrl);
    await listener.start();
    await owner.query(`alter database ${clone.name} connection limit 0`);
    await new Promise((done) => setTimeout(done, 5 * TEST_EVERY_MS));
    expect(seen).toEqual(['up']);
    await owner.query(`alter database ${clone.name} connection limit -1`);
  });
});
