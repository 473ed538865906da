import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { planAdministrator } from '../../cli/supervisor/administrator.js';
import { renderCard } from '../../cli/supervisor/card.js';
import { decideProvisioning } from '../../cli/supervisor/dependencies.js';
import { apiEnvironment, sharedEnvironment, workerEnvironment } from '../../cli/supervisor/environment.js';
import { backOffMs, countDeath } from '../../cli/supervisor/restart.rules.js';
import { generatePassword } from '../../cli/supervisor/secrets.js';

const secrets = {
  database: {
    owner: 'the-owner',
    app: 'the-app',
    platform: 'the-platform',
    auth: 'the-auth',
    ingest: 'the-ingest',
  },
  s3: { accessKey: 'ak', secretKey: 'sk', internalKey: 'ik' },
  secretKeys: 'k1:AAAA',
  webhookToken: 'hook',
};
const provisioned = { database: true, temporal: true, s3: true };
const input = {
  dataDir: '/d',
  provisioning: provisioned,
  secrets,
  ports: { postgres: 1, temporal: 2, s3: 3 },
  apiPort: 8080,
};

describe('what is provisioned', () => {
  it('is everything when nothing is named', () => {
    expect(decideProvisioning({})).toEqual(provisioned);
  });

  it('is nothing in production', () => {
    expect(decideProvisioning({ NODE_ENV: 'production' })).toEqual({
      database: false,
      temporal: false,
      s3: false,
    });
  });

  it('leaves out what the environment names', () => {
    expect(decideProvisioning({ TEMPORAL_ADDRESS: 'h:1' })).toEqual({
      database: true,
      temporal: false,
      s3: true,
    });
  });

  it('names every variable that is missing beside others, all at once', () => {
    expect(() => decideProvisioning({ DATABASE_URL: 'x', S3_ENDPOINT: 'y' })).toThrow(
      /DATABASE_PLATFORM_URL[\s\S]*DATABASE_AUTH_URL[\s\S]*DATABASE_INGEST_URL[\s\S]*DATABASE_OWNER_URL[\s\S]*S3_ACCESS_KEY[\s\S]*S3_SECRET_KEY/,
    );
  });
});

describe('the environment of API and worker', () => {
  it('never holds the password of the database owner', () => {
    const env = sharedEnvironment({ ...input, given: { DATABASE_OWNER_URL: 'postgresql://the-owner@h/d' } });
    expect(JSON.stringify(env)).not.toContain('the-owner');
  });

  it('prefers what the caller names and passes on nothing else of his', () => {
    const env = sharedEnvironment({
      ...input,
      given: { SERVICE_BASE_URL: 'https://me', AWS_REGION: 'eu-1', PGPASSWORD: 'mine' },
    });
    expect(env).toMatchObject({ SERVICE_BASE_URL: 'https://me', AWS_REGION: 'eu-1' });
    expect(env).not.toHaveProperty('PGPASSWORD');
  });

  it('sends the programs of this machine to the API itself, whatever address people use', () => {
    const env = sharedEnvironment({ ...input, apiPort: 8123, given: { SERVICE_BASE_URL: 'https://me' } });
    expect(env.SERVICE_INTERNAL_URL).toBe('http://127.0.0.1:8123');
  });

  it('gives the first administrator to the API alone', () => {
    const shared = sharedEnvironment({ ...input, given: { SERVICE_INIT_ADMIN_PASSWORD: 'given-one' } });
    expect(
      apiEnvironment(shared, { dataDir: '/d', port: 1, opsPort: 2, init: {} }).SERVICE_INIT_ADMIN_PASSWORD,
    ).toBe('given-one');
    expect(JSON.stringify(workerEnvironment(shared, { dataDir: '/d', opsPort: 3 }))).not.toContain(
      'given-one',
    );
  });
});

describe('the first administrator', () => {
  it('gets a generated password that is not asked for again', () => {
    const first = planAdministrator({}, false);
    expect(first.init.SERVICE_INIT_ADMIN_PASSWORD).toBe(first.generatedPassword);
    expect(planAdministrator({}, true)).toEqual({ email: first.email, generatedPassword: null, init: {} });
  });

  it('gets a password without letters that look alike, another one each time', () => {
    const passwords = new Set(Array.from({ length: 50 }, generatePassword));
    expect(passwords.size).toBe(50);
    for (const password of passwords)
      expect(password).toMatch(/^([a-hjkmnp-z2-9]{5}-){3}[a-hjkmnp-z2-9]{5}$/);
  });
});

describe('a restart after a death', () => {
  it('comes later each time it dies at once, and never later than half a minute', () => {
    expect([1, 2, 3, 7, 20].map(backOffMs)).toEqual([500, 1000, 2000, 30_000, 30_000]);
  });

  it('counts anew after a minute of running', () => {
    expect(countDeath({ inARow: 4, lastStartAt: 0 }, 59_000)).toBe(5);
    expect(countDeath({ inARow: 4, lastStartAt: 0 }, 60_000)).toBe(1);
  });
});

describe('the card', () => {
  const facts = {
    baseUrl: 'http://127.0.0.1:8080',
    temporalUi: null,
    adminEmail: 'a@b.c',
    adminPassword: 'shown-once',
    passwordNote: '',
    dataDir: '/d',
    databaseElsewhere: null,
    sampleNote: null,
    isShared: false,
    flags: ' --data-dir /d',
    ephemeral: false,
  };

  it('shows the password when it was generated, and how to stop and wipe with the same data directory', () => {
    const card = renderCard(facts);
    expect(card).toContain('shown-once');
    expect(card).toContain('npm start -- stop --data-dir /d');
    expect(card).toContain('npm start -- reset --yes --data-dir /d');
  });

  it('says in one line that tenants share the machine, and where what to do stands', () => {
    const lines = renderCard({ ...facts, isShared: true }).split('\n');
    const [, page = '', place = ''] =
      /^ +Mind .* (docs\/\S+)#(\S+)$/.exec(lines.find((line) => line.includes('Mind')) ?? '') ?? [];
    const titles = readFileSync(page, 'utf8').match(/(?<=^## ).*/gm) ?? [];
    expect(titles.map((title) => title.toLowerCase().replaceAll(' ', '-'))).toContain(place);
    expect(lines).toHaveLength(renderCard(facts).split('\n').length + 1);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(120);
    expect(renderCard(facts)).not.toContain('Mind');
  });

  it('says where the database is when it is elsewhere', () => {
    expect(renderCard({ ...facts, databaseElsewhere: '/var/lib/x' })).toContain('/var/lib/x');
    expect(renderCard(facts)).not.toContain('Database');
  });
});
