import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { hash } from '@node-rs/argon2';
import type { AppError } from '../../../core/errors/app-error.js';
import { PasswordHasher } from '../../../api/auth/password-hasher.js';
import { PasswordProcess } from '../../../api/auth/password-process.js';

const PASSWORD = 'a passphrase of the test';

interface Child {
  readonly pid: number;
  readonly niceness: number;
}

/** Password processes of this process: fields 4 (parent) and 19 (niceness) of `stat`, counted after the name in brackets. */
function children(): Child[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const fields = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
        const isOurs = Number(fields[1]) === process.pid && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes('password-child');
        return isOurs ? [{ pid: Number(name), niceness: Number(fields[16]) }] : [];
      } catch {
        return [];
      }
    });
}

// Test files that ran before in this process may have left one that is not idle long enough yet.
const others = new Set(children().map(({ pid }) => pid));
const own = (): Child[] => children().filter(({ pid }) => !others.has(pid));

describe('the password hasher', () => {
  const hasher = new PasswordHasher();
  let stored: string;
  beforeAll(async () => {
    stored = await hasher.hash(PASSWORD);
  });

  it('tells the right password from a wrong one, and knows no password of an unknown account', async () => {
    expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(await Promise.all([hasher.matches(PASSWORD, stored), hasher.matches('another', stored), hasher.matches(PASSWORD, null)])).toEqual([true, false, false]);
  });

  it('takes as long for an unknown account as for a known one', async () => {
    const times = { known: [] as number[], unknown: [] as number[] };
    for (let round = 0; round < 15; round += 1) {
      for (const kind of ['known', 'unknown'] as const) {
        const startedAt = performance.now();
        await hasher.matches('a wrong one', kind === 'known' ? stored : null);
        times[kind].push(performance.now() - startedAt);
      }
    }
    const [known, unknown] = [Math.min(...times.known), Math.min(...times.unknown)];
    expect(unknown / known).toBeGreaterThan(0.5);
    expect(unknown / known).toBeLessThan(2);
  });

  it('upgrades a hash of another cost and leaves one of the present cost', async () => {
    const weak = await hash(PASSWORD, { memoryCost: 8192, timeCost: 1, parallelism: 1 });
    expect(await hasher.matches(PASSWORD, weak)).toBe(true);
    expect(await hasher.upgraded(PASSWORD, stored)).toBeNull();
    expect(await hasher.upgraded(PASSWORD, weak)).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  it('works in one process of lower priority, without secrets in its environment or command line', async () => {
    await Promise.all([hasher.matches(PASSWORD, stored), hasher.matches(PASSWORD, stored)]);
    const found = own();
    expect(found).toHaveLength(1);
    const { pid, niceness } = found[0] as Child;
    expect(niceness).toBeGreaterThanOrEqual(10);
    const seen = ['environ', 'cmdline'].map((file) => readFileSync(`/proc/${pid}/${file}`, 'utf8')).join(' ');
    expect(seen).not.toMatch(/PASSWORD|SECRET|DATABASE_URL|passphrase/);
  });

  it('fails no comparison when its process is killed', async () => {
    const asked = [hasher.matches(PASSWORD, stored), hasher.matches('another', stored)];
    for (const { pid } of own()) process.kill(pid, 'SIGKILL');
    expect(await Promise.all(asked)).toEqual([true, false]);
  });

  it('refuses what would wait too long, says when to come again, and serves the rest', async () => {
    const answers = await Promise.allSettled(Array.from({ length: 80 }, () => hasher.matches(PASSWORD, stored)));
    const refused = answers.filter((answer) => answer.status === 'rejected').map(({ reason }) => reason as AppError);
    expect(refused).toHaveLength(80 - 65);
    expect(refused[0]).toMatchObject({ code: 'service_unavailable', options: { retryAfterS: 2 } });
    expect(answers.filter((answer) => answer.status === 'fulfilled' && answer.value)).toHaveLength(65);
    expect(await hasher.matches(PASSWORD, stored)).toBe(true);
  });

  it('fails the comparison with a damaged hash without repeating it or the password, and goes on', async () => {
    const failed = await hasher.matches(PASSWORD, '$argon2id$damaged-hash').catch((error: Error) => error.message);
    expect(failed).toMatch(/could not be compared/);
    expect(failed).not.toMatch(/damaged-hash|passphrase/);
    expect(await hasher.matches(PASSWORD, stored)).toBe(true);
  });
});

describe('the password process', () => {
  it('ends when nobody needs it, and another begins with the next order', async () => {
    const before = own().length;
    const one = new PasswordProcess(50);
    const hashed = () => one.run({ kind: 'hash', password: PASSWORD });
    await hashed();
    for (let left = 200; own().length > before && left > 0; left -= 1) await new Promise((resolve) => setTimeout(resolve, 25));
    expect(own()).toHaveLength(before);
    expect(await hashed()).toHaveProperty('hash');
  });
});
