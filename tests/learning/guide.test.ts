import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { commandsOf, runInShell } from '../journeys/support/guide-shell.js';
import { SupervisedPlatform } from '../setup/supervised-platform.js';

// As long as the training of the lane: only where all of them run.
const describeWithAll = process.env.LEARNING_TASKS === undefined ? describe : describe.skip;

describeWithAll('the guide to a detector [runs with --all]', () => {
  let platform: SupervisedPlatform;
  let folder: string;

  beforeAll(async () => {
    platform = await SupervisedPlatform.create();
    await platform.start();
    folder = mkdtempSync(join(tmpdir(), 'visionops-detector-'));
    symlinkSync(resolve('tests'), join(folder, 'tests'));
  }, 240_000);
  afterAll(async () => {
    await platform?.destroy();
    rmSync(folder, { recursive: true, force: true });
  }, 120_000);

  it('can be copied into a shell word by word', async () => {
    const script = `${commandsOf('train-a-detector.md')}\n`;
    const { code, output } = await runInShell(script, platform.baseUrl, folder, 1_500_000);
    expect({ code, output: code === 0 ? '' : output.slice(-3000) }).toEqual({ code: 0, output: '' });
    expect(output).toMatch(/"detections": ?\[\{"label"/);
    expect(output).toMatch(/"base": ?\{"model_name": ?"digit-finder", ?"version": ?1,/);
    for (const file of ['pr_curves.png', 'worst.png', 'model.onnx'])
      expect(readFileSync(join(folder, file)).length).toBeGreaterThan(1000);
  }, 1_600_000);
});
