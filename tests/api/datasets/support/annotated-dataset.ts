import { expect } from '@jest/globals';
import sharp from 'sharp';
import { zip } from './dataset-kit.js';
import type { WorkingKit } from './open-dataset-kit.js';

/** A picture that no other one is like: coarse noise of its own. */
export async function picture(seed: number, width = 200, height = 100): Promise<Buffer> {
  let state = seed * 2654435761 + 12345;
  const level = () => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return state >>> 24;
  };
  const pixels = Buffer.from(Array.from({ length: 20 * 10 * 3 }, level));
  return sharp(pixels, { raw: { width: 20, height: 10, channels: 3 } })
    .resize(width, height, { kernel: 'cubic' })
    .png()
    .toBuffer();
}
export const text = (value: string): Buffer => Buffer.from(value);
export const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

/** Uploads the files as one archive into a dataset of their own, and waits for its report. */
export async function settleAnnotated(
  { kit, worker }: WorkingKit,
  name: string,
  files: Readonly<Record<string, Buffer>>,
) {
  const id = await kit.draft(name);
  const answer = await kit.upload(id, 'all.zip', await zip(files), 'archive');
  expect([answer.status, answer.text]).toEqual([201, expect.stringContaining('"errors":[]')]);
  const body = await kit.settled(id);
  if (worker.failures.length > 0) throw new Error(worker.failures.at(-1));
  return {
    id,
    body,
    stats: body.validation.stats,
    codes: body.validation.warnings.map((warning: { code: string }) => warning.code),
  };
}
