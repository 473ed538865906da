import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, jest } from '@jest/globals';
import { parseArguments } from '../../cli/arguments.js';
import { requireEmptyBucket } from '../../cli/backup/empty-target.js';
import { stateOf, status } from '../../cli/commands/status.js';
import { endOfLog, tailOfLog, waitUntilReady } from '../../cli/engines/launch.js';
import { refOf } from '../../cli/engines/process-ref.js';
import { hint } from '../../cli/terminal/hint.js';
import { OutdatedDatabaseError, UnfinishedRestoreError } from '../../models/orm/outdated-database.js';

describe('the commands that a message names', () => {
  it.each([
    ['stop', '/clone/.data', 'npm start -- stop'],
    ['', '/clone/.data', 'npm start'],
    ['', '/clone/other', 'npm start -- --data-dir other'],
    ['stop', '/srv/a b', "npm start -- stop --data-dir '/srv/a b'"],
    ['stop', "/srv/it's", "npm start -- stop --data-dir '/srv/it'\\''s'"],
    ['stop', '/srv/$HOME', "npm start -- stop --data-dir '/srv/$HOME'"],
  ])('%j for %s is %s', (words, dataDir, expected) => {
    expect(hint(words, dataDir, '/clone')).toBe(expected);
  });

  it('is for the data directory at hand where a restore is refused', async () => {
    const store = {
      ensureBucket: async () => undefined,
      async *list() {
        yield { key: 't/a', sizeBytes: 1, lastModified: new Date() };
      },
    };
    await expect(requireEmptyBucket(store as never, '/backup', '/srv/new')).rejects.toThrow(
      'after "npm start -- reset --yes --data-dir /srv/new"',
    );
  });

  it.each([
    { name: 'an outdated database', error: new OutdatedDatabaseError('m0001-roles') },
    { name: 'an unfinished restore', error: new UnfinishedRestoreError() },
  ])('is for the data directory at hand in the message of $name', ({ error }) => {
    expect(error.message).toMatch(/"npm start -- (reset --yes|restore FOLDER)"/);
    const message = error.messageWith((words) => hint(words, '/srv/new'));
    expect(message).toMatch(/"npm start -- (reset --yes|restore FOLDER) --data-dir \/srv\/new"/);
  });
});

describe('the state of a data directory', () => {
  const seen = { isHeld: true, isReady: true, isStopping: false, isLeft: true };
  it.each([
    ['running', {}],
    ['starting', { isReady: false }],
    ['stopping', { isReady: false, isStopping: true }],
    ['unsupervised', { isHeld: false }],
    ['unsupervised', { isHeld: false, isStopping: true }],
    ['stopped', { isHeld: false, isLeft: false }],
  ] as const)('is %s for %j', (state, change) => {
    expect(stateOf({ ...seen, ...change })).toBe(state);
  });
});

describe('the status of a data directory', () => {
  const shown = (dataDir: string): unknown => {
    const log = jest.spyOn(console, 'log').mockReturnValue(undefined);
    expect(status(parseArguments(['status', '--data-dir', dataDir], '/'))).toBe(3);
    const text = log.mock.calls.join('\n');
    log.mockRestore();
    return text;
  };

  it('distinguishes one that is stopped from one that no platform has', () => {
    const folder = mkdtempSync(join(tmpdir(), 'visionops-status-'));
    for (const dataDir of [folder, join(folder, 'nowhere')])
      expect(shown(dataDir)).toContain(`there is no platform in ${dataDir}.`);
    writeFileSync(join(folder, 'secrets.json'), '{}');
    expect(shown(folder)).toMatch(/^VisionOps is stopped\n/);
    rmSync(folder, { recursive: true });
  });
});

describe('the log of a start that failed', () => {
  it('is quoted from where this start began', () => {
    const folder = mkdtempSync(join(tmpdir(), 'visionops-log-'));
    const file = join(folder, 'api.log');
    expect(endOfLog(file)).toBe(0);
    writeFileSync(file, 'of an earlier start\n');
    const from = endOfLog(file);
    expect(tailOfLog(file, from)).toBe('(nothing)');
    appendFileSync(file, 'first\nsecond\n');
    expect(tailOfLog(file, from)).toBe('first\nsecond');
    rmSync(folder, { recursive: true });
  });

  it("is the service's own where its output says nothing", async () => {
    const folder = mkdtempSync(join(tmpdir(), 'visionops-log-'));
    const [output, own] = [join(folder, 'worker.out.log'), join(folder, 'worker.log')];
    writeFileSync(output, '');
    writeFileSync(own, 'of an earlier start\nconnect ECONNREFUSED 127.0.0.1:1\n');
    const late = waitUntilReady({
      ...{ name: 'The worker', ref: refOf(process.pid), logFile: output, logFrom: 0, timeoutMs: -1 },
      serviceLog: { file: own, from: 'of an earlier start\n'.length },
      probe: () => Promise.reject(new Error('it does not answer')),
    });
    await expect(late).rejects.toMatchObject({
      name: 'EngineError',
      message: expect.stringMatching(/worker\.log says:\nconnect ECONNREFUSED 127\.0\.0\.1:1$/),
    });
    rmSync(folder, { recursive: true });
  });
});
