import { createHmac, generateKeyPairSync, randomBytes, sign as signBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { deriveKey } from '../../../core/security/key-ring.js';
import { startTestApi, type TestApi, type TestUser } from '../support/test-api.js';

type Claims = Record<string, unknown>;
const encode = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
const HS = { alg: 'HS256', typ: 'JWT', kid: 'k1' };

describe('forged access tokens', () => {
  let api: TestApi;
  let user: TestUser;
  let victim: TestUser;
  let key: Buffer;
  let claims: Claims;
  beforeAll(async () => {
    api = await startTestApi();
    [user, victim] = [await api.addUser(), await api.addUser()];
    key = deriveKey(api.container.settings.SERVICE_SECRET_KEYS, 'jwt').key;
    claims = JSON.parse(Buffer.from(user.token.split('.')[1] as string, 'base64url').toString()) as Claims;
  });
  afterAll(() => api.close());

  const me = async (token: string) =>
    (await api.call('GET', '/users/me', { headers: { authorization: `Bearer ${token}` } })).status;
  const sign = (header: unknown, payload: unknown, secret: Buffer | string = key, hash = 'sha256') => {
    const text = `${encode(header)}.${encode(payload)}`;
    return `${text}.${createHmac(hash, secret).update(text).digest('base64url')}`;
  };
  const victimClaims = (): Claims =>
    JSON.parse(Buffer.from(victim.token.split('.')[1] as string, 'base64url').toString()) as Claims;

  /** Algorithms that were not ours, with no signature, with the old one, and with our key used for another purpose. */
  function byAlgorithm(): Record<string, string> {
    const [, body, signature] = user.token.split('.') as [string, string, string];
    const found: Record<string, string> = {};
    for (const alg of [
      'none',
      'None',
      'NONE',
      'nOnE',
      '',
      null,
      ['HS256'],
      'hs256',
      'HS256 ',
      'HS1',
      'A128KW',
      'dir',
    ]) {
      found[`alg ${JSON.stringify(alg)} without a signature`] = `${encode({ ...HS, alg })}.${body}.`;
      found[`alg ${JSON.stringify(alg)} with the old signature`] =
        `${encode({ ...HS, alg })}.${body}.${signature}`;
    }
    for (const [alg, hash] of [
      ['HS384', 'sha384'],
      ['HS512', 'sha512'],
      ['RS256', 'sha256'],
      ['ES256', 'sha256'],
      ['PS256', 'sha256'],
      ['EdDSA', 'sha256'],
    ] as const)
      found[`${alg} with our key`] = sign({ ...HS, alg }, claims, key, hash);
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const pem = publicKey.export({ type: 'spki', format: 'pem' }) as string;
    const text = `${encode({ ...HS, alg: 'RS256', jwk: publicKey.export({ format: 'jwk' }) })}.${body}`;
    found['RS256 with its own key in the header'] =
      `${text}.${signBytes('sha256', Buffer.from(text), privateKey).toString('base64url')}`;
    found['HS256 keyed with a public key'] = sign(HS, claims, pem);
    return found;
  }

  /** Secrets somebody could guess or find, and ways to make the server take another one. */
  function byKey(): Record<string, string> {
    const ring = api.container.settings.SERVICE_SECRET_KEYS;
    const secret = (ring.keys[0] as { secret: Buffer }).secret;
    const found: Record<string, string> = {
      'a random key': sign(HS, claims, randomBytes(32)),
      'the empty key': sign(HS, claims, ''),
      'a key of zeros': sign(HS, claims, Buffer.alloc(32)),
      'the raw server secret': sign(HS, claims, secret),
      'the server secret in base64': sign(HS, claims, secret.toString('base64')),
      'the key of sealed values': sign(HS, claims, deriveKey(ring, 'envelope').key),
      'the key of job tokens': sign(HS, claims, deriveKey(ring, 'job-token').key),
      'the key of stored tokens': sign(HS, claims, deriveKey(ring, 'token-pepper').key),
      'a key in the header': sign({ ...HS, jwk: { kty: 'oct', k: 'AAAA' } }, claims, Buffer.alloc(3)),
      'a key behind an address': sign({ ...HS, jku: 'https://evil.example/jwks.json' }, claims, 'x'),
      'a certificate behind an address': sign({ ...HS, x5u: 'https://evil.example/x.pem' }, claims, 'x'),
      'a certificate in the header': sign({ ...HS, x5c: ['MIIB'] }, claims, 'x'),
      'a chain of our own host': sign({ ...HS, jku: `${api.base}/jwks.json` }, claims, 'x'),
    };
    for (const guess of [
      'secret',
      'changeme',
      'SECRET',
      'k1',
      'visionops',
      'password',
      'your-256-bit-secret',
      'fastapi-users:auth',
    ])
      found[`the key "${guess}"`] = sign(HS, claims, guess);
    for (const kid of [
      '../../dev/null',
      '/etc/passwd',
      "k1' or '1'='1",
      'k1\u0000',
      'k9',
      '',
      '__proto__',
      'constructor',
      null,
      1,
      ['k1'],
      { id: 'k1' },
      'https://evil.example/key',
      'x'.repeat(500),
    ])
      found[`key id ${JSON.stringify(kid)?.slice(0, 40)}`] = sign({ ...HS, kid }, claims, '');
    return found;
  }

  /** Signed with the right key, and still not a token of ours: only a leaked key could make these. */
  function byClaims(): Record<string, string> {
    const changed: Record<string, Claims> = {
      'another audience': { aud: 'fastapi-users:reset' },
      'the audience of address checks': { aud: ['fastapi-users:verify'] },
      'no audience': { aud: undefined },
      'the audience as an object': { aud: { 'fastapi-users:auth': true } },
      'an expiry in the past': { exp: 1 },
      'an expiry that is text': { exp: 'never' },
      'a negative expiry': { exp: -1 },
      'not valid yet': { nbf: 4_102_444_800 },
      'no session': { jti: undefined },
      'a session that does not exist': { jti: '7b1d8a52-4a0e-4f0e-9d8e-0a4f6d1c2b3a' },
      "somebody else's session": { jti: victimClaims().jti },
      "somebody else's account": { sub: victim.id },
      'the administrator as account': { sub: api.admin.id },
      'no account': { sub: undefined },
      'an account that is a list': { sub: [user.id] },
      'SQL in the session': { jti: "' or true --" },
      'a session that is an object': { jti: { $ne: null } },
      'a NUL in the session': { jti: '\u0000' },
    };
    return Object.fromEntries(
      Object.entries(changed).map(([name, over]) => [name, sign(HS, { ...claims, ...over })]),
    );
  }

  function byForm(): Record<string, string> {
    const [head, body, signature] = user.token.split('.') as [string, string, string];
    const padded = Buffer.from(signature, 'base64url').toString('base64');
    return {
      'tampered claims': `${head}.${encode({ ...claims, sub: victim.id })}.${signature}`,
      'tampered signature': `${head}.${body}.${signature.slice(0, -4)}AAAA`,
      'a cut signature': `${head}.${body}.${signature.slice(0, -6)}`,
      'a padded signature': `${head}.${body}.${padded.endsWith('=') ? padded : `${padded}=`}`,
      'no signature': `${head}.${body}.`,
      'no third part': `${head}.${body}`,
      'four parts': `${user.token}.x`,
      'five parts': `${head}..${body}.${signature}.x`,
      'parts in another order': `${body}.${head}.${signature}`,
      'nothing but dots': '....................',
      'an unknown critical header': sign({ ...HS, crit: ['x'], x: 1 }, claims),
      'an unencoded payload': sign({ ...HS, b64: false, crit: ['b64'] }, claims),
      'a header that is a list': sign([HS], claims),
      'a payload that is text': sign(HS, 'text'),
      'a payload that is a list': sign(HS, [claims]),
      'a token inside a token': sign({ ...HS, cty: 'JWT' }, user.token),
      'two tokens': `${user.token},${user.token}`,
      'JSON serialisation': JSON.stringify({ protected: head, payload: body, signature }),
      'a very long token': sign(HS, { ...claims, fill: 'x'.repeat(4000) }),
      'the header of a mailed token': sign(
        { alg: 'HS256' },
        { sub: user.id, aud: 'fastapi-users:verify', email: user.email, exp: 4_102_444_800 },
      ),
    };
  }

  it('are refused, every one of more than sixty, while the genuine one is taken', async () => {
    const corpus = { ...byAlgorithm(), ...byKey(), ...byClaims(), ...byForm() };
    expect(Object.keys(corpus).length).toBeGreaterThan(60);
    expect(await me(sign(HS, claims))).toBe(200);
    const taken: string[] = [];
    for (const [name, token] of Object.entries(corpus)) if ((await me(token)) !== 401) taken.push(name);
    expect(taken).toEqual([]);
    expect([await me(user.token), await me(victim.token)]).toEqual([200, 200]);
  });
});
