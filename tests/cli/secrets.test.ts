import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { dataFiles } from '../../cli/supervisor/files.js';
import { ensureSecrets } from '../../cli/supervisor/secrets.js';

describe('the secrets of a data directory', () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'visionops-secrets-'));
  });
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

  it('are made once', () => {
    const made = ensureSecrets(dataDir);
    expect(new Set(Object.values(made.database)).size).toBe(5);
    expect(ensureSecrets(dataDir)).toEqual(made);
  });

  it('of the first release get the login that it did not have, once, and keep all others', () => {
    const made = ensureSecrets(dataDir);
    const { auth: _auth, ...database } = made.database;
    const file = dataFiles(dataDir).secrets;
    writeFileSync(file, JSON.stringify({ ...made, database }));
    const completed = ensureSecrets(dataDir);
    expect(completed).toEqual({ ...made, database: { ...database, auth: expect.any(String) } });
    expect(completed.database.auth).toHaveLength(32);
    expect(ensureSecrets(dataDir)).toEqual(completed);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(completed);
  });
});
