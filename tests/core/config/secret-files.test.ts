import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  describeSettings,
  parseSettings,
  type SettingsError,
  takeSettings,
  withSecretFiles,
} from '../../../core/config/settings.js';

const SECRET = 'very-secret-value';
const complete: Readonly<Record<string, string>> = {
  DATABASE_URL: 'postgresql://a@h/d',
  DATABASE_PLATFORM_URL: 'postgresql://p@h/d',
  DATABASE_AUTH_URL: 'postgresql://s@h/d',
  DATABASE_INGEST_URL: 'postgresql://i@h/d',
  TEMPORAL_ADDRESS: 'h:7233',
  S3_ENDPOINT: 'http://h:9000',
  S3_ACCESS_KEY: 'a',
  S3_SECRET_KEY: SECRET,
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

describe('secrets that are given as files', () => {
  let folder: string;
  const file = (name: string, content: string): string => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  /** The complete settings with one of them given as a file. */
  const asFile = (name: string, path: string): Record<string, string> => {
    const { [name]: _value, ...rest } = complete;
    return { ...rest, [`${name}_FILE`]: path };
  };
  beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'visionops-secret-files-'))));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each([
    ['none', ''],
    ['one', '\n'],
    ['one of Windows', '\r\n'],
  ])('are read, with %s newline at their end', (_what, end) => {
    expect(parseSettings(asFile('S3_SECRET_KEY', file('key', `${SECRET}${end}`))).S3_SECRET_KEY).toBe(SECRET);
  });

  it('keep everything but that newline', () => {
    expect(parseSettings(asFile('S3_SECRET_KEY', file('key', ' two\nlines \n\n'))).S3_SECRET_KEY).toBe(
      ' two\nlines \n',
    );
  });

  it('may be all that are marked secret, and the address of the owner', () => {
    const names = [...describeSettings().filter(({ secret }) => secret), { name: 'DATABASE_OWNER_URL' }].map(
      ({ name }) => name,
    );
    expect(names).toEqual(expect.arrayContaining(['DATABASE_URL', 'SERVICE_SECRET_KEYS', 'SMTP_URL']));
    const given = Object.fromEntries(names.map((name) => [`${name}_FILE`, file(name, `${name} of a file`)]));
    expect(withSecretFiles({ ...given, S3_BUCKET: 'b' })).toEqual({
      ...Object.fromEntries(names.map((name) => [name, `${name} of a file`])),
      S3_BUCKET: 'b',
    });
  });

  it('are checked as values are', () => {
    expect(problemsOf(asFile('SERVICE_SECRET_KEYS', file('ring', 'no ring')))).toEqual([
      expect.stringMatching(/^SERVICE_SECRET_KEYS: /),
    ]);
  });

  it('are refused beside the value', () => {
    expect(problemsOf({ ...complete, S3_SECRET_KEY_FILE: file('key', 'other') })).toEqual([
      'S3_SECRET_KEY, S3_SECRET_KEY_FILE: give one of them, not both',
    ]);
  });

  it('count as not given when the variable is empty', () => {
    expect(parseSettings({ ...complete, S3_SECRET_KEY_FILE: '' }).S3_SECRET_KEY).toBe(SECRET);
    expect(parseSettings({ ...asFile('S3_SECRET_KEY', file('key', 'x')), S3_SECRET_KEY: '' })).toMatchObject({
      S3_SECRET_KEY: 'x',
    });
  });

  it('name every variable whose file cannot be used, and neither content nor path', () => {
    const problems = problemsOf({
      ...asFile('S3_SECRET_KEY', join(folder, 'absent')),
      SMTP_URL_FILE: file('empty', '\n'),
      SERVICE_WEBHOOK_TOKEN_FILE: folder,
    });
    expect([...problems].sort()).toEqual([
      'S3_SECRET_KEY_FILE: names a file that cannot be read (ENOENT)',
      'SERVICE_WEBHOOK_TOKEN_FILE: names a file that cannot be read (EISDIR)',
      'SMTP_URL_FILE: names a file that is empty',
    ]);
  });

  it('are no files of what is not secret', () => {
    const env = { ...complete, S3_BUCKET_FILE: file('bucket', 'other'), SERVICE_LOG_FILE: '/x/y.log' };
    expect(parseSettings(env)).toMatchObject({ S3_BUCKET: 'visionops', SERVICE_LOG_FILE: '/x/y.log' });
  });
});

describe('settings that a process takes', () => {
  it('leave no secret in what its children inherit', () => {
    const env: Record<string, string | undefined> = {
      ...complete,
      DATABASE_OWNER_URL: 'postgresql://o@h/d',
      PATH: '/usr/bin',
    };
    expect(takeSettings(env)).toMatchObject({ S3_SECRET_KEY: SECRET, DATABASE_URL: 'postgresql://a@h/d' });
    expect(Object.keys(env).sort()).toEqual(['PATH', 'S3_ENDPOINT', 'SERVICE_BASE_URL', 'TEMPORAL_ADDRESS']);
  });
});
