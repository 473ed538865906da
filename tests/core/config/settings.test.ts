import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  describeSettings,
  drainWaitS,
  parseSettings,
  type SettingsError,
} from '../../../core/config/settings.js';
import { QUEUE_SLOTS } from '../../../core/config/temporal-settings.js';
import { trustedProxies } from '../../../core/config/trusted-proxies.js';

const complete = {
  DATABASE_URL: 'postgresql://a@h/d',
  DATABASE_PLATFORM_URL: 'postgresql://p@h/d',
  DATABASE_AUTH_URL: 'postgresql://s@h/d',
  DATABASE_INGEST_URL: 'postgresql://i@h/d',
  TEMPORAL_ADDRESS: 'h:7233',
  S3_ENDPOINT: 'http://h:9000',
  S3_ACCESS_KEY: 'a',
  S3_SECRET_KEY: 'very-secret-value',
  SERVICE_BASE_URL: 'https://visionops.example.com',
  SERVICE_SECRET_KEYS: `k1:${randomBytes(32).toString('base64')}`,
};
const problemsOf = (env: Record<string, string>): readonly string[] => {
  try {
    parseSettings(env);
    return [];
  } catch (error) {
    return (error as SettingsError).problems;
  }
};

describe('settings', () => {
  it('have defaults for all that is not needed', () => {
    expect(parseSettings(complete)).toMatchObject({
      SERVICE_PORT: 8080,
      SERVICE_HOST: '127.0.0.1',
      SERVICE_AUTH_TOKEN_LIFETIME: 0,
      S3_BUCKET: 'visionops',
      SERVICE_WEBHOOK_OPEN: false,
      NODE_ENV: 'development',
    });
  });

  it.each([
    ['none', []],
    ['loopback', ['loopback']],
    ['10.0.0.0/8, 2001:db8::/32,192.0.2.1', ['10.0.0.0/8', '2001:db8::/32', '192.0.2.1']],
  ])('take %s as the proxies to be trusted', (text, expected) => {
    expect(
      trustedProxies(parseSettings({ ...complete, SERVICE_TRUST_PROXY: text }).SERVICE_TRUST_PROXY),
    ).toEqual(expected);
  });

  it('trust no proxy unless asked', () => {
    expect(trustedProxies(parseSettings(complete).SERVICE_TRUST_PROXY)).toEqual([]);
  });

  it.each(['true', '1', 'proxy.example.org', '10.0.0.0/33', '10.0.0.0/0', '10.0.0.1/', '::1%lo'])(
    'refuse %s as a proxy to be trusted',
    (text) => {
      expect(problemsOf({ ...complete, SERVICE_TRUST_PROXY: text })).toEqual([
        expect.stringMatching(/^SERVICE_TRUST_PROXY: entry 1 is neither an address nor a network/),
      ]);
    },
  );

  it('name every missing variable at once in production', () => {
    const problems = problemsOf({ NODE_ENV: 'production' });
    const required = describeSettings()
      .filter((setting) => setting.required)
      .map((setting) => setting.name);
    expect(required).toEqual([
      'DATABASE_URL',
      'DATABASE_PLATFORM_URL',
      'DATABASE_AUTH_URL',
      'DATABASE_INGEST_URL',
      'TEMPORAL_ADDRESS',
      'S3_ENDPOINT',
      'SMTP_URL',
      'SERVICE_BASE_URL',
      'SERVICE_SECRET_KEYS',
    ]);
    for (const name of [...required, 'S3_ACCESS_KEY', 'SERVICE_WEBHOOK_TOKEN'])
      expect(problems.some((line) => line.startsWith(`${name}:`))).toBe(true);
    const tls = { SERVICE_TEMPORAL_TLS: 'true' };
    expect(problemsOf({ ...complete, ...tls, NODE_ENV: 'production' })).toEqual([
      'SMTP_URL: is missing (required in production)',
      'SERVICE_WEBHOOK_TOKEN: is missing (or set SERVICE_WEBHOOK_OPEN=true)',
    ]);
    expect(
      problemsOf({
        ...complete,
        ...tls,
        NODE_ENV: 'production',
        SMTP_URL: 'smtp://h',
        SERVICE_WEBHOOK_OPEN: 'true',
      }),
    ).toEqual([]);
  });

  it.each([
    [{}, 0],
    [{ NODE_ENV: 'production' }, 5],
    [{ NODE_ENV: 'production', SERVICE_DRAIN_WAIT_S: '0' }, 0],
    [{ NODE_ENV: 'production', SERVICE_DRAIN_WAIT_S: '' }, 5],
    [{ SERVICE_DRAIN_WAIT_S: '7' }, 7],
  ])('with %j have a stopping API serve for %i more seconds', (env: Record<string, string>, seconds) => {
    expect(drainWaitS(env)).toBe(seconds);
    const more = { ...complete, SMTP_URL: 'smtp://h', SERVICE_WEBHOOK_OPEN: 'true' };
    expect(drainWaitS(parseSettings({ ...more, SERVICE_TEMPORAL_PLAINTEXT: 'true', ...env }))).toBe(seconds);
  });

  it('take an empty variable as a missing one', () => {
    expect(problemsOf({ ...complete, S3_ENDPOINT: '' })).toEqual(['S3_ENDPOINT: is missing']);
  });

  it.each([
    ['SERVICE_PORT', '70000'],
    ['SERVICE_PORT', 'http'],
    ['TEMPORAL_ADDRESS', 'http://h:1'],
    ['DATABASE_URL', 'h/d'],
    ['SERVICE_AUTH_TOKEN_LIFETIME', '-1'],
    ['SERVICE_WEBHOOK_TOKEN', 'short'],
    ['SERVICE_INIT_TENANT_CODE', 'system'],
    ['SERVICE_INIT_TENANT_CODE', 'Upper'],
    ['SERVICE_SECRET_KEYS', 'k1:c2hvcnQ='],
    ['SERVICE_BASE_URL', 'ftp://h'],
    ['TEMPORAL_UI_URL', 'javascript:alert(1)'],
  ])('refuse %s=%s by name and without its value', (name, value) => {
    const problems = problemsOf({ ...complete, [name]: value });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(new RegExp(`^${name}: `));
    expect(problems[0]).not.toContain(value);
  });

  it('refuse an orchestrator that nothing stands behind, with the way out', () => {
    expect(problemsOf({ ...complete, SERVICE_ORCHESTRATOR: 'process' })).toEqual([]);
    expect(problemsOf({ ...complete, SERVICE_ORCHESTRATOR: 'kubernetes' })).toEqual([
      expect.stringMatching(/^SERVICE_ORCHESTRATOR: .*no adapter.*set it to process/),
    ]);
  });

  it('name every way to sign in to the object store where none is named, and refuse half a pair', () => {
    const { S3_ACCESS_KEY: _key, S3_SECRET_KEY: _secret, ...none } = complete;
    expect(problemsOf(none)).toEqual([
      expect.stringMatching(
        /^S3_ACCESS_KEY: is missing .*AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; AWS_ROLE_ARN and AWS_WEB_IDENTITY_TOKEN_FILE; AWS_SHARED_CREDENTIALS_FILE/,
      ),
    ]);
    const ways: Record<string, string>[] = [
      { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 's' },
      { AWS_ROLE_ARN: 'arn:aws:iam::1:role/r', AWS_WEB_IDENTITY_TOKEN_FILE: '/token' },
      { AWS_SHARED_CREDENTIALS_FILE: '/credentials' },
    ];
    for (const way of ways) expect(problemsOf({ ...none, ...way })).toEqual([]);
    expect(problemsOf({ ...complete, AWS_ROLE_ARN: 'arn:aws:iam::1:role/r' })).toEqual([]);
    expect(problemsOf({ ...none, AWS_ROLE_ARN: 'arn:aws:iam::1:role/r' })).toEqual([
      'AWS_ROLE_ARN, AWS_WEB_IDENTITY_TOKEN_FILE: give both, or none',
    ]);
  });

  it.each(['http://127.0.0.1:9000', 'http://[::1]:9000', 'http://localhost:9000'])(
    'refuse the bucket in the host name of %s',
    (endpoint) => {
      expect(problemsOf({ ...complete, S3_ENDPOINT: endpoint, S3_ADDRESSING: 'virtual' })).toEqual([
        expect.stringMatching(/^S3_ADDRESSING: /),
      ]);
      expect(problemsOf({ ...complete, S3_ENDPOINT: endpoint })).toEqual([]);
    },
  );

  it('refuse a Temporal without TLS in production, unless that is allowed', () => {
    const production = {
      ...complete,
      ...{ NODE_ENV: 'production', SMTP_URL: 'smtp://h', SERVICE_WEBHOOK_OPEN: 'true' },
    };
    const plainly: Record<string, string>[] = [
      {},
      { SERVICE_TEMPORAL_TLS: 'false' },
      { SERVICE_TEMPORAL_PLAINTEXT: 'false' },
    ];
    for (const plain of plainly)
      expect(problemsOf({ ...production, ...plain })).toEqual([
        expect.stringMatching(
          /^SERVICE_TEMPORAL_TLS: .*SERVICE_TEMPORAL_API_KEY.*SERVICE_TEMPORAL_PLAINTEXT=true/,
        ),
      ]);
    const safely: Record<string, string>[] = [
      { SERVICE_TEMPORAL_TLS: 'true' },
      { SERVICE_TEMPORAL_TLS_CA: '/ca.pem' },
      { SERVICE_TEMPORAL_API_KEY: 'secret-of-temporal' },
      { SERVICE_TEMPORAL_PLAINTEXT: 'true' },
    ];
    for (const good of safely) expect(problemsOf({ ...production, ...good })).toEqual([]);
  });

  it('take slots of queues by name, and keep the others as they are', () => {
    const slots = (text: string) =>
      parseSettings({ ...complete, SERVICE_TEMPORAL_QUEUE_SLOTS: text }).SERVICE_TEMPORAL_QUEUE_SLOTS;
    expect(slots(' data=8, sync=12 ')).toEqual({ ...QUEUE_SLOTS, data: 8, sync: 12 });
    for (const text of ['data', 'data=0', 'data=8;sync=2', 'none=2', 'constructor=2'])
      expect(problemsOf({ ...complete, SERVICE_TEMPORAL_QUEUE_SLOTS: text })).toEqual([
        expect.stringMatching(/^SERVICE_TEMPORAL_QUEUE_SLOTS: must be a list/),
      ]);
  });

  it('refuse an API key for Temporal in plain text, and half a certificate', () => {
    const key = { ...complete, SERVICE_TEMPORAL_API_KEY: 'secret-of-temporal' };
    expect(problemsOf(key)).toEqual([]);
    expect(problemsOf({ ...key, SERVICE_TEMPORAL_TLS: 'false' })).toEqual([
      expect.stringMatching(/^SERVICE_TEMPORAL_TLS: .*unencrypted/),
    ]);
    expect(problemsOf({ ...complete, SERVICE_TEMPORAL_TLS_CERT: '/c.pem' })).toEqual([
      expect.stringContaining('give both'),
    ]);
  });

  it('mark everything that holds a secret', () => {
    const secret = new Set(
      describeSettings()
        .filter((setting) => setting.secret)
        .map((setting) => setting.name),
    );
    for (const { name } of describeSettings())
      if (/SECRET|PASSWORD|TOKEN$|ACCESS_KEY|^DATABASE_|^SMTP_URL/.test(name))
        expect([name, secret.has(name)]).toEqual([name, true]);
  });
});
