import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../support/test-api.js';

/** Letters that some foldings of case take for one another: the dotted and the dotless i, the Kelvin sign, the long s. */
const ALIKE: Readonly<Record<string, readonly string[]>> = {
  i: ['i', 'I', 'İ', 'ı'],
  k: ['k', 'K', '\u212a'],
  s: ['s', 'S', 'ſ'],
};

/** Every way to write a name with letters that look alike. */
const spellingsOf = (name: string): string[] =>
  [...name].reduce<string[]>(
    (heads, letter) => heads.flatMap((head) => (ALIKE[letter] ?? [letter]).map((tail) => head + tail)),
    [''],
  );

describe('an address that can be spelled in many ways', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startTestApi();
  });
  afterAll(() => api.close());

  const password = 'a decent one 77';
  const open = (email: string) => api.call('POST', '/auth/register', { json: { email, password } });
  const signIn = (username: string, guess: string) =>
    api.call('POST', '/auth/jwt/login', { form: { username, password: guess } });
  /** The spellings that the database takes for this account. */
  const meaning = async (email: string, spellings: readonly string[]): Promise<string[]> => {
    const { db } = api.container;
    const rows = await db.inPlatform((tx) =>
      tx.query<{ name: string }>(
        'select name from unnest($2::text[]) as name join user_account on lower(email) = lower(name) where email = $1',
        [email, spellings],
      ),
    );
    return rows.map((row) => row.name);
  };

  it.each(['administrator', 'kirk'])(
    'has ten tries from one place in all its spellings together: %s',
    async (name) => {
      const email = `${name}@example.com`;
      expect((await open(email)).status).toBe(201);
      const others = spellingsOf(name).map((spelling) => `${spelling}@example.com`);
      const same = await meaning(email, others);
      expect(same).toContain(`${name.replaceAll('i', 'İ')}@example.com`);
      const statuses: number[] = [];
      for (const spelling of [...same, ...same])
        statuses.push((await signIn(spelling, 'wrong wrong')).status);
      expect(statuses.filter((status) => status === 400)).toHaveLength(10);
      expect(statuses.slice(10)).toEqual(statuses.slice(10).map(() => 429));
      for (const spelling of others.filter((other) => !same.includes(other)))
        expect((await signIn(spelling, password)).status).not.toBe(200);
    },
  );

  it('is one account in all its spellings: it is opened once, and signed in to with each', async () => {
    const email = 'mia.kim@example.com';
    expect((await open(email)).status).toBe(201);
    for (const spelling of await meaning(
      email,
      spellingsOf('mia.kim').map((name) => `${name}@example.com`),
    )) {
      expect((await open(spelling)).body.detail).toBe('REGISTER_USER_ALREADY_EXISTS');
      expect((await signIn(spelling, password)).status).toBe(200);
    }
  });

  it('gets five mails in a quarter of an hour, however strangers spell it', async () => {
    const email = 'ivi@example.com';
    expect((await open(email)).status).toBe(201);
    for (const spelling of ['ivi', 'İvi', 'ivİ', 'İvİ', 'Ivi', 'IVI', 'iVİ', 'İVI']) {
      expect(
        (await api.call('POST', '/auth/forgot-password', { json: { email: `${spelling}@example.com` } }))
          .status,
      ).toBe(202);
    }
    const rows = await api.container.db.inPlatform((tx) =>
      tx.query("select 1 from dispatch where kind = 'mail'"),
    );
    expect(rows).toHaveLength(5);
  });

  it('stays verified, and keeps its mails, where only its spelling is changed', async () => {
    const made = await open('lisa@example.com');
    const change = (json: object) =>
      api.call('PATCH', `/users/${made.body.id}`, { token: api.admin.token, json });
    await change({ is_verified: true });
    expect((await change({ email: 'Lİsa@example.com' })).body).toMatchObject({
      email: 'Lİsa@example.com',
      is_verified: true,
    });
    expect((await change({ email: 'lena@example.com' })).body).toMatchObject({
      email: 'lena@example.com',
      is_verified: false,
    });
    const rows = await api.container.db.inPlatform((tx) =>
      tx.query("select 1 from dispatch where kind = 'mail-removal'"),
    );
    expect(rows).toHaveLength(1);
  });
});
