import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { projectRoot } from '../engines/engine-lock.js';

/** The agent finishes what is under way within a few seconds of SIGTERM. */
const END_MS = 10_000;

export interface AgentOptions {
  readonly python: string;
  readonly baseUrl: string;
  readonly token: string;
  /** The agent's own; its log, models and pictures stand in it. */
  readonly folder: string;
}

/** Pictures that appear there, whole, are predicted and removed. */
export const picturesOf = (folder: string): string => join(folder, 'images');

export const logOf = (folder: string): string => join(folder, 'agent.log');

/** Runs the reference agent as a process of its own until the work is done. */
export async function withAgent<T>(
  { python, baseUrl, token, folder }: AgentOptions,
  work: () => Promise<T>,
): Promise<T> {
  mkdirSync(picturesOf(folder), { recursive: true, mode: 0o700 });
  const log = openSync(logOf(folder), 'a', 0o600);
  const agent = spawn(python, ['-B', '-m', 'visionops_device'], {
    cwd: join(projectRoot(), 'clients/device-agent'),
    stdio: ['ignore', log, log],
    env: {
      ...{ PATH: process.env.PATH, VISIONOPS_URL: baseUrl, VISIONOPS_DEVICE_TOKEN: token },
      ...{ VISIONOPS_DEVICE_DIR: join(folder, 'device'), VISIONOPS_IMAGES: picturesOf(folder) },
    },
  });
  closeSync(log);
  const failed = once(agent, 'exit').then(([code]) => {
    throw new Error(`The device's agent ended with ${code}; ${logOf(folder)} says why`);
  });
  try {
    return await Promise.race([work(), failed]);
  } finally {
    failed.catch(() => undefined);
    await end(agent);
  }
}

async function end(agent: ChildProcess): Promise<void> {
  if (agent.exitCode !== null || agent.signalCode !== null) return;
  const ended = once(agent, 'exit');
  agent.kill('SIGTERM');
  const patience = new AbortController();
  await Promise.race([ended, sleep(END_MS, undefined, { signal: patience.signal }).catch(() => undefined)]);
  patience.abort();
  if (agent.exitCode === null) agent.kill('SIGKILL');
}
