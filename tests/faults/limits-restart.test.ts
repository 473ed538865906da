import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { DATABASE_NAME, ownerUrl, type PostgresHandle, startPostgres } from '../../cli/engines/postgres.js';
import { originAttempts } from '../../models/accounts/sign-in/sign-in-history.platform.js';
import { VISITOR_LIMITS } from '../../models/accounts/sign-in/visitor-limits.rules.js';
import { migrate } from '../../models/orm/migrate.js';
import { startTestApi, type TestApi, type TestUser } from '../api/support/test-api.js';

jest.setTimeout(240_000);
const OWNER_PASSWORD = 'owner-of-this-test';
const PASSWORDS = { app: 'a-1', platform: 'p-1', auth: 's-1', ingest: 'i-1' };
const HOME = '198.51.100.7';
const FLOOD = '203.0.113.9';

describe('limits on sign-ins while their database restarts', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'visionops-restart-'));
  let server: PostgresHandle;
  let api: TestApi;

  const start = (ports?: PostgresHandle['ports']) =>
    startPostgres({ dataDir, ownerPassword: OWNER_PASSWORD, fast: true, ...(ports && { ports }) });
  beforeAll(async () => {
    server = await start();
    const port = server.ports.postgres;
    await migrate({ ownerUrl: ownerUrl(port, OWNER_PASSWORD), passwords: PASSWORDS });
    const login = (role: keyof typeof PASSWORDS) =>
      `postgresql://visionops_${role}:${PASSWORDS[role]}@127.0.0.1:${port}/${DATABASE_NAME}`;
    api = await startTestApi({
      DATABASE_URL: login('app'),
      DATABASE_PLATFORM_URL: login('platform'),
      DATABASE_AUTH_URL: login('auth'),
      DATABASE_INGEST_URL: login('ingest'),
      SERVICE_TRUST_PROXY: 'loopback',
    });
  }, 180_000);
  afterAll(async () => {
    await api?.close();
    await server?.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }, 60_000);

  const signIn = async (person: TestUser, address: string, password = person.password) => {
    const answer = await api.call('POST', '/auth/jwt/login', {
      form: { username: person.email, password },
      headers: { 'x-forwarded-for': address },
    });
    return { status: answer.status, retryAfter: answer.headers.get('retry-after') };
  };
  const useUpNetwork = () =>
    api.container.db.inPlatform((tx) =>
      tx.execute(
        "insert into attempt_limit (key, used, resets_at) values ($1, $2, now() + interval '1 hour')",
        [originAttempts('sign-in|network', '203.0.113.0/24'), VISITOR_LIMITS['sign-in'].network.points],
      ),
    );

  it('lets no guess through that was not counted, and its owner in as soon as it is back', async () => {
    const [owner, victim] = [await api.addUser(), await api.addUser()];
    expect((await signIn(owner, HOME)).status).toBe(200);
    await useUpNetwork();
    let isDone = false;
    const guesses: Array<{ status: number; retryAfter: string | null }> = [];
    const guess = async (address: string) => {
      while (!isDone) guesses.push(await signIn(victim, address, 'wrong wrong'));
    };
    const guessing = ['192.0.2.1', '192.0.2.1', '192.0.2.1', FLOOD].map(guess);
    await sleep(40);
    const { ports } = server;
    await server.stop();
    const away = await signIn(owner, HOME);
    expect([away.status, away.retryAfter !== null]).toEqual([503, true]);
    await sleep(300);
    server = await start(ports);
    const back = Date.now();
    let seen = await signIn(owner, HOME);
    while (seen.status === 503 && Date.now() - back < 30_000) {
      await sleep(100);
      seen = await signIn(owner, HOME);
    }
    expect(seen.status).toBe(200);
    await sleep(500);
    isDone = true;
    await Promise.all(guessing);
    expect(guesses.map(({ status }) => status)).toContain(503);
    expect(guesses.filter(({ status }) => ![400, 429, 503].includes(status))).toEqual([]);
    expect(guesses.filter(({ status }) => status === 400).length).toBeLessThanOrEqual(10);
    for (const { status, retryAfter } of guesses)
      if (status !== 400) expect([status, retryAfter !== null]).toEqual([status, true]);
    // What was counted before is counted still.
    expect((await signIn(victim, FLOOD)).status).toBe(429);
    expect((await signIn(owner, HOME)).status).toBe(200);
    // Nobody has used up more than the attempts that were under way.
    expect((await signIn(victim, '192.0.2.200')).status).toBe(200);
  });
});
