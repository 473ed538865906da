import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { createLogger } from '../../../core/logging/logger.js';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'visionops-log-'));
  file = join(folder, 'logs', 'api.log');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const numbersIn = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { n: number }).n);

async function textOf(lines: number): Promise<string> {
  for (let left = 100; left > 0; left -= 1) {
    await sleep(50);
    const text = readFileSync(file, 'utf8');
    if (text.split('\n').length > lines) return text;
  }
  throw new Error('the lines did not arrive');
}

it('writes a line that nobody flushes within moments', async () => {
  const { logger } = createLogger({ name: 'test', level: 'info', file });
  logger.info({ n: 1 });
  expect(numbersIn(await textOf(1))).toEqual([1]);
});

it('keeps all lines of several blocks in order', async () => {
  const { logger } = createLogger({ name: 'test', level: 'info', file });
  const numbers = Array.from({ length: 3_000 }, (_, n) => n);
  for (const n of numbers) logger.info({ n, text: 'é'.repeat(20) });
  expect(numbersIn(await textOf(numbers.length))).toEqual(numbers);
});
