import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { holdAdvisoryLock } from '../../models/orm/advisory-lock.js';
import { SilentProxy } from '../fakes/silent-proxy.js';
import { testDatabase, type TestDatabase } from '../setup/engines.js';

describe('advisory lock', () => {
  let clone: TestDatabase;
  beforeAll(async () => void (clone = await testDatabase()));
  afterAll(() => clone.drop());

  const until = async (check: () => boolean, withinMs = 7500) => {
    for (let left = withinMs / 25; left > 0 && !check(); left -= 1)
      await new Promise((done) => setTimeout(done, 25));
    expect(check()).toBe(true);
  };
  const contender = (entered: string[], name: string, connectionString = clone.appUrl) => {
    const stop = new AbortController();
    const ended = holdAdvisoryLock(
      { connectionString, name: 'test', signal: stop.signal },
      async (signal) => {
        entered.push(name);
        await new Promise<void>((done) => signal.addEventListener('abort', () => done(), { once: true }));
        entered.push(`${name} out`);
      },
    );
    return { stop, ended };
  };

  it('lets one in at a time and the next when the first is gone', async () => {
    const entered: string[] = [];
    const first = contender(entered, 'a');
    await until(() => entered.includes('a'));
    const second = contender(entered, 'b');
    await new Promise((done) => setTimeout(done, 300));
    expect(entered).toEqual(['a']);
    first.stop.abort();
    await first.ended;
    await until(() => entered.includes('b'));
    second.stop.abort();
    await second.ended;
  });

  it('takes the work away from a holder that lost its connection', async () => {
    const entered: string[] = [];
    const holder = contender(entered, 'a');
    const outcome = expect(holder.ended).rejects.toThrow('lost with its connection');
    await until(() => entered.includes('a'));
    const client = new pg.Client({ connectionString: clone.appUrl });
    await client.connect();
    await client.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'visionops-lock' and datname = current_database()",
    );
    await client.end();
    await outcome;
    expect(entered).toEqual(['a', 'a out']);
  });

  it('goes to the next when its holder is cut off', async () => {
    const url = new URL(clone.appUrl);
    const proxy = await SilentProxy.before(url.host);
    url.host = proxy.address;
    const entered: string[] = [];
    const holder = contender(entered, 'a', url.href);
    const outcome = expect(holder.ended).rejects.toThrow('lost with its connection');
    await until(() => entered.includes('a'));
    const next = contender(entered, 'b');
    proxy.silence();
    await until(() => entered.includes('b'), 45_000);
    next.stop.abort();
    await next.ended;
    await outcome;
    // The holder had given up before.
    expect(entered).toEqual(['a', 'a out', 'b', 'b out']);
    proxy.close();
  }, 60_000);
});
