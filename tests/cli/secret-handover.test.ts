import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { withSecretFiles } from '../../core/config/settings.js';
import { forgetHandover, handOverSecrets } from '../../cli/supervisor/secret-handover.js';

describe('the secrets that a process is started with', () => {
  let folder: string;
  beforeEach(() => {
    folder = join(mkdtempSync(join(tmpdir(), 'visionops-handover-')), 'handover', 'api');
  });
  afterEach(() => rmSync(join(folder, '../..'), { recursive: true, force: true }));

  const env = {
    SERVICE_PORT: '8080',
    S3_SECRET_KEY: 'very-secret',
    SMTP_URL: 'smtp://u:p@h\n',
    SERVICE_WEBHOOK_TOKEN: '',
  };

  it('lie in files of the owner, and are read as they were', () => {
    const given = handOverSecrets(env, folder);
    expect(given).toEqual({
      SERVICE_PORT: '8080',
      S3_SECRET_KEY_FILE: join(folder, 'S3_SECRET_KEY'),
      SMTP_URL_FILE: join(folder, 'SMTP_URL'),
      SERVICE_WEBHOOK_TOKEN: '',
    });
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, 'SMTP_URL')).mode & 0o777).toBe(0o600);
    expect(withSecretFiles(given)).toEqual(env);
  });

  it('leave nothing of an earlier start, and nothing when they were read', () => {
    handOverSecrets(env, folder);
    writeFileSync(join(folder, 'SERVICE_SECRET_KEYS'), 'old');
    handOverSecrets({ S3_SECRET_KEY: 'new' }, folder);
    expect(existsSync(join(folder, 'SERVICE_SECRET_KEYS'))).toBe(false);
    forgetHandover(folder);
    expect(existsSync(folder)).toBe(false);
  });
});
