import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EngineError } from '../../cli/engines/engine.js';
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

  it.each(['', '{"secretKeys": "k1:c2VjcmV0', '{"secretKeys": "k1:c2VjcmV0"}'])(
    'that are damaged (%j) are named with the next step, and not shown',
    (text) => {
      const file = dataFiles(dataDir).secrets;
      writeFileSync(file, text);
      const refused = [`${file} is damaged: put back your copy of it.`, `reset --yes --data-dir ${dataDir}`];
      for (const words of refused) expect(() => ensureSecrets(dataDir)).toThrow(words);
      expect(() => ensureSecrets(dataDir)).toThrow(EngineError);
      expect(() => ensureSecrets(dataDir)).not.toThrow('c2VjcmV0');
      expect(readFileSync(file, 'utf8')).toBe(text);
    },
  );

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
