import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from '@jest/globals';
import { locatePython } from '../../../adapters/process/python-locator.js';
import { readLogPart } from '../../../adapters/process/log-reader.js';
import type { LaunchRecord } from '../../../adapters/process/workload-records.js';

const CAP = 256 * 1024;

describe("limits of a workload's log", () => {
  const home = mkdtempSync(join(tmpdir(), 'visionops-shim-'));
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  /** Runs the shim by itself on a program that writes `lines` lines of 17 bytes. */
  const talk = async (kind: 'job' | 'service', lines: number) => {
    const directory = join(home, kind);
    mkdirSync(directory);
    const python = (await locatePython())?.executable ?? 'python3';
    const launch: LaunchRecord = {
      attempt: 1,
      kind,
      argv: [python, resolve('tests/adapters/process/programs/talk.py'), String(lines), '2'],
      stageArgv: null,
      cwd: home,
      env: { PYTHONIOENCODING: 'utf-8' },
      uid: null,
      memoryBytes: 2 ** 30,
      timeoutS: null,
      logMaxBytes: CAP,
      port: null,
      launchedAt: new Date().toISOString(),
      bootId: '',
    };
    writeFileSync(join(directory, 'launch.json'), JSON.stringify(launch));
    await promisify(execFile)(python, ['-I', '-S', resolve('docker/process/shim.py'), directory], {
      timeout: 30_000,
    });
    expect(JSON.parse(readFileSync(join(directory, 'exit.json'), 'utf8'))).toMatchObject({
      code: 0,
      reason: null,
    });
    return join(directory, 'log');
  };

  it("keeps the beginning and the end of a job's log and says what is left out", async () => {
    const log = await talk('job', 100_000);
    const { text, isAtEnd } = await readLogPart(log, 0, 10 * CAP, true);
    expect(isAtEnd).toBe(true);
    expect(Buffer.byteLength(text)).toBeLessThan(CAP + 70_000);
    expect(text).toMatch(/^line 0000000 ää\n/);
    expect(text).toMatch(
      /\n\[runner\] The log reached its limit of 262144 bytes; \d+ bytes are left out here\.\n/,
    );
    expect(text).toMatch(/line 0099999 ää\n$/);
  });

  it("keeps the newest part of a service's log at true offsets", async () => {
    const log = await talk('service', 100_000);
    const stored = readdirSync(log)
      .map((name) => readFileSync(join(log, name)).length)
      .reduce((sum, size) => sum + size, 0);
    expect(stored).toBeLessThanOrEqual(CAP);
    const all = await readLogPart(log, 0, 10 * CAP, true);
    expect(all.nextOffset).toBe(100_000 * 18);
    expect(all.text).toMatch(/line 0099999 ää\n$/);
    expect((await readLogPart(log, all.nextOffset - 18, 100, true)).text).toBe('line 0099999 ää\n');
  });
});
