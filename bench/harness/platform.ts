import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { choosePorts } from '../../cli/engines/ports.js';
import { projectRoot } from '../../cli/engines/engine-lock.js';
import { dataFiles } from '../../cli/supervisor/files.js';

export const ADMIN = { email: 'bench@visionops.local', password: 'a long passphrase for the bench 1' };

const READY_WITHIN_MS = 120_000;

/** The part of `platform.json` that benchmarks read. */
export interface PlatformFacts {
  readonly base_url: string;
  readonly ops_url: string;
  readonly database_url: string;
  readonly s3_endpoint: string;
  readonly s3_access_key: string;
  readonly s3_secret_key: string;
  readonly pids: Readonly<
    Record<'supervisor' | 'api' | 'worker' | 'postgres' | 'temporal' | 's3', number | null>
  >;
}

export interface RunningPlatform {
  readonly facts: PlatformFacts;
  /** From the spawn of the supervisor to a sign-in that worked, in seconds. */
  readonly toSignInS: number;
  stop(): Promise<void>;
}

/** A data directory that the database's user can reach. */
export function newDataDir(): string {
  const folder = mkdtempSync(join(tmpdir(), 'visionops-bench-'));
  chmodSync(folder, 0o711);
  return folder;
}

export const removeDataDir = (folder: string): void => rmSync(folder, { recursive: true, force: true });

export interface PlatformStart {
  /** Runs the sample as a first `npm start` does; answered when it has ended well. */
  readonly sample?: boolean;
  /** Settings beside those of every benchmark. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts the whole platform as `npm start -- --no-sample` does, without the build before it. */
export async function startPlatform(
  dataDir: string,
  { sample = false, env: settings = {} }: PlatformStart = {},
): Promise<RunningPlatform> {
  const [port] = (await choosePorts([undefined])) as [number];
  const env = {
    ...process.env,
    SERVICE_INIT_ADMIN_EMAIL: ADMIN.email,
    SERVICE_INIT_ADMIN_PASSWORD: ADMIN.password,
    ...settings,
  };
  const startedAt = performance.now();
  const args = ['start', ...(sample ? [] : ['--no-sample']), '--data-dir', dataDir, '--port', String(port)];
  const child = spawn(process.execPath, [join(projectRoot(), 'dist/cli/main.js'), ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => output.push(chunk.toString()));
  await waitForSignIn(child, port, output);
  const toSignInS = (performance.now() - startedAt) / 1000;
  try {
    const facts = JSON.parse(await readOnceThere(dataFiles(dataDir).platform)) as PlatformFacts;
    if (sample) await readOnceThere(dataFiles(dataDir).sampleResult);
    return { facts, toSignInS, stop: () => stopPlatform(child) };
  } catch (error) {
    await stopPlatform(child);
    throw error;
  }
}

async function waitForSignIn(child: ChildProcess, port: number, output: readonly string[]): Promise<void> {
  const deadline = Date.now() + READY_WITHIN_MS;
  while (Date.now() < deadline) {
    if (child.exitCode !== null)
      throw new Error(`the platform ended with ${child.exitCode}:\n${output.join('')}`);
    if ((await signIn(`http://127.0.0.1:${port}`).catch(() => null)) !== null) return;
    await sleep(50);
  }
  await stopPlatform(child);
  throw new Error(`no sign-in within ${READY_WITHIN_MS / 1000} s:\n${output.join('')}`);
}

/** @returns the cookie of a new session, null when the sign-in was refused */
export async function signIn(baseUrl: string): Promise<string | null> {
  const body = new URLSearchParams({ username: ADMIN.email, password: ADMIN.password });
  const answer = await fetch(`${baseUrl}/auth/cookie/login`, { method: 'POST', body });
  return answer.status === 204 ? (answer.headers.get('set-cookie')?.split(';', 1)[0] ?? null) : null;
}

/** `platform.json` appears when every part is ready, which may be after the first sign-in; the sample's result at its end. */
async function readOnceThere(file: string): Promise<string> {
  const deadline = Date.now() + READY_WITHIN_MS;
  while (!existsSync(file)) {
    if (Date.now() > deadline) throw new Error(`${file} did not appear`);
    await sleep(50);
  }
  return readFileSync(file, 'utf8');
}

async function stopPlatform(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  await gone;
}
