import { beforeAll, describe, expect, it } from '@jest/globals';
import { hash } from '@node-rs/argon2';
import type { AppError } from '../../../core/errors/app-error.js';
import { type HashCaller, PasswordHasher } from '../../../api/auth/password-hasher.js';

const PASSWORD = 'a passphrase of the test';

describe('the password hasher', () => {
  const hasher = new PasswordHasher();
  let stored: string;
  beforeAll(async () => {
    stored = await hasher.hash(PASSWORD, 'unknown');
  });

  it('distinguishes the right password from a wrong one, and knows no password of an unknown account', async () => {
    expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(
      await Promise.all([
        hasher.matches(PASSWORD, stored, 'unknown'),
        hasher.matches('another', stored, 'unknown'),
        hasher.matches(PASSWORD, null, 'unknown'),
      ]),
    ).toEqual([true, false, false]);
  });

  it('takes as long for an unknown account as for a known one', async () => {
    const times = { known: [] as number[], unknown: [] as number[] };
    for (let round = 0; round < 15; round += 1) {
      for (const kind of ['known', 'unknown'] as const) {
        const startedAt = performance.now();
        await hasher.matches('a wrong one', kind === 'known' ? stored : null, 'unknown');
        times[kind].push(performance.now() - startedAt);
      }
    }
    const [known, unknown] = [Math.min(...times.known), Math.min(...times.unknown)];
    expect(unknown / known).toBeGreaterThan(0.5);
    expect(unknown / known).toBeLessThan(2);
  });

  it('upgrades a hash of another cost and leaves one of the present cost', async () => {
    const weak = await hash(PASSWORD, { memoryCost: 8192, timeCost: 1, parallelism: 1 });
    expect(await hasher.matches(PASSWORD, weak, 'unknown')).toBe(true);
    expect(await hasher.upgraded(PASSWORD, stored)).toBeNull();
    expect(await hasher.upgraded(PASSWORD, weak)).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  it('refuses what would wait too long, says when to come again, and serves the rest', async () => {
    const answers = await Promise.allSettled(
      Array.from({ length: 80 }, () => hasher.matches(PASSWORD, stored, 'unknown')),
    );
    const refused = answers
      .filter((answer) => answer.status === 'rejected')
      .map(({ reason }) => reason as AppError);
    expect(refused).toHaveLength(80 - 65);
    expect(refused[0]).toMatchObject({ code: 'service_unavailable', options: { retryAfterS: 2 } });
    expect(answers.filter((answer) => answer.status === 'fulfilled' && answer.value)).toHaveLength(65);
    expect(await hasher.matches(PASSWORD, stored, 'unknown')).toBe(true);
  });

  it('keeps places for who is known while strangers have taken all of theirs, and serves them in turns', async () => {
    const ended: string[] = [];
    const compare = (caller: HashCaller) => {
      const done = hasher.matches(PASSWORD, stored, caller).then(() => ended.push(caller));
      done.catch(() => undefined);
      return done;
    };
    const strangers = Array.from({ length: 65 }, () => compare('unknown'));
    await expect(compare('unknown')).rejects.toMatchObject({ code: 'service_unavailable' });
    expect([hasher.refusal('unknown')?.options.retryAfterS, hasher.refusal('known')]).toEqual([2, null]);
    await Promise.all(Array.from({ length: 3 }, () => compare('known')));
    // The one whose turn it was, and then each line in its turn.
    expect(ended.length).toBeLessThanOrEqual(7);
    const known = Array.from({ length: 65 }, () => compare('known'));
    await expect(compare('known')).rejects.toMatchObject({ code: 'service_unavailable' });
    await Promise.all([...strangers, ...known]);
    expect(ended.filter((caller) => caller === 'unknown')).toHaveLength(65);
    expect(hasher.refusal('unknown')).toBeNull();
  });

  it('fails the comparison with a damaged hash without repeating it or the password, and goes on', async () => {
    const failed = await hasher
      .matches(PASSWORD, '$argon2id$damaged-hash', 'unknown')
      .catch((error: Error) => error.message);
    expect(failed).toMatch(/could not be compared/);
    expect(failed).not.toMatch(/damaged-hash|passphrase/);
    expect(await hasher.matches(PASSWORD, stored, 'unknown')).toBe(true);
  });
});
