import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from '@jest/globals';
import { freePort } from '../setup/free-port.js';
import { testEnvironment } from '../setup/engines.js';

const source = (path: string) => new URL(`../../${path}`, import.meta.url);
const LINES = 10_000;
/** As many as may wait. */
const FITTING = 3000;

/** Logs more than may wait, says on stderr how many lines it lost, and goes on. */
const PROGRAM = (file: string | null, lines: number) => `
  import { createLogger } from ${JSON.stringify(source('core/logging/logger.js').href)};
  const { logger, lostLines, exit } = createLogger({ name: 'child', level: 'info', file: ${JSON.stringify(file)} });
  process.on('SIGTERM', () => void exit(0));
  process.on('uncaughtException', (error) => {
    logger.fatal({ err: error, n: 'last' }, 'crashed');
    void exit(1);
  });
  setInterval(() => undefined, 1000);
  for (let n = 0; n < ${lines}; n += 1) {
    logger.info({ n, text: 'x'.repeat(1000), password: 'hidden' });
    if (n % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  setTimeout(() => process.stderr.write(JSON.stringify({ lost: lostLines() }) + '\\n'), 300);
  process.on('SIGUSR2', () => { throw new Error('on purpose'); });
  process.on('SIGHUP', () => logger.info({ n: 'after' }));
`;

describe('a process whose log is not taken', () => {
  let child: ChildProcess | null = null;
  afterEach(() => {
    child?.kill('SIGKILL');
    child = null;
  });
  const run = (file: string | null = null, lines = LINES) => {
    child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM(file, lines)], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const { stdout, stderr } = child;
    if (!stdout || !stderr) throw new Error('no pipes');
    return { child, stdout, said: once(stderr, 'data').then(([text]) => JSON.parse(String(text))) };
  };
  const endOf = async (one: ChildProcess) => {
    const startedAt = Date.now();
    const [code, signal] = await once(one, 'exit');
    return { code, signal, tookMs: Date.now() - startedAt };
  };

  it('goes on, loses what is too much, says how much once it is read again, and ends in order', async () => {
    const { child: one, stdout, said } = run();
    // It comes though nobody reads the log: a write that waits for a reader would hold it back.
    const { lost } = await said;
    expect(lost).toBeGreaterThan(LINES / 4);
    const chunks: Buffer[] = [];
    stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    const lines = () =>
      Buffer.concat(chunks)
        .toString()
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line));
    for (let left = 100; left > 0 && !Buffer.concat(chunks).includes('were lost'); left -= 1) await sleep(50);
    one.kill('SIGHUP');
    await sleep(50);
    one.kill('SIGTERM');
    const { code, tookMs } = await endOf(one);
    expect([code, tookMs < 8000]).toEqual([0, true]);
    const read = lines();
    expect(read.filter(({ n }) => typeof n === 'number')).toHaveLength(LINES - lost);
    expect(read.filter(({ msg }) => msg?.includes('were lost'))).toMatchObject([{ level: 40, lines: lost }]);
    expect(read.at(-1)).toMatchObject({ n: 'after' });
  });

  it('ends within a second or so where nobody reads at all', async () => {
    const { child: one, said } = run();
    await said;
    one.kill('SIGTERM');
    const { signal, tookMs } = await endOf(one);
    expect([signal, tookMs < 8000]).toEqual(['SIGKILL', true]);
  });

  it('crashes within a second or so where nobody reads at all', async () => {
    const { child: one, said } = run();
    await said;
    one.kill('SIGUSR2');
    const { tookMs } = await endOf(one);
    expect(tookMs).toBeLessThan(8000);
  });

  it('goes on where the reader of its log has gone', async () => {
    const { child: one, stdout, said } = run();
    stdout.destroy();
    const { lost } = await said;
    expect(lost).toBeGreaterThan(0);
    one.kill('SIGTERM');
    expect(await endOf(one)).toMatchObject({ code: 0 });
  });

  it('has everything in a file when it crashes, readable by its owner alone', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'visionops-log-'));
    try {
      const file = join(folder, 'logs', 'child.log');
      const { child: one, said } = run(file, FITTING);
      expect(await said).toMatchObject({ lost: 0 });
      one.kill('SIGUSR2');
      expect(await endOf(one)).toMatchObject({ code: 1 });
      const text = readFileSync(file, 'utf8');
      const lines = text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect(lines).toHaveLength(FITTING + 1);
      expect(lines.at(-1)).toMatchObject({ n: 'last', level: 60, err: { message: 'on purpose' } });
      expect(text).not.toContain('hidden');
      expect(statSync(file).mode & 0o777).toBe(0o600);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('answers requests as an API, and stops', async () => {
    const { env, remove } = await testEnvironment();
    const port = await freePort();
    const base = `http://127.0.0.1:${port}`;
    child = spawn(process.execPath, [fileURLToPath(source('api/main.js'))], {
      env: {
        ...process.env,
        ...env,
        SERVICE_LOG_LEVEL: 'info',
        SERVICE_PORT: String(port),
        SERVICE_BASE_URL: base,
      },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const ask = () =>
      fetch(`${base}/users/me`).then(
        ({ status }) => status,
        () => 0,
      );
    for (let left = 600; left > 0 && (await ask()) === 0; left -= 1) await sleep(50);
    for (let round = 0; round < 40; round += 1) {
      const statuses = await Promise.all(Array.from({ length: 50 }, ask));
      expect(new Set(statuses)).toEqual(new Set([401]));
    }
    child.kill('SIGTERM');
    const { tookMs } = await endOf(child);
    expect(tookMs).toBeLessThan(12_000);
    await remove();
  });
});
