import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { memoryOfTree } from './support/process-watch.js';

/** Holds 100 MiB while threads of it begin and end, ten at a time. */
const RESTLESS = `
  const { Worker } = require('node:worker_threads');
  const held = Buffer.alloc(100 * 2 ** 20, 1);
  const next = () => new Worker('', { eval: true }).once('exit', next);
  for (let n = 0; n < 10; n += 1) next();
  process.send(held.length);`;

let restless: ChildProcess;
beforeAll(async () => {
  restless = spawn(process.execPath, ['-e', RESTLESS], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  await once(restless, 'message');
});
afterAll(() => {
  restless?.kill('SIGKILL');
});

it('sees the memory of a process also while its threads end', () => {
  const seen = Array.from({ length: 100 }, () => memoryOfTree(restless.pid as number));
  expect(Math.min(...seen)).toBeGreaterThan(100 * 2 ** 20);
});
