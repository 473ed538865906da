import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { SupervisedPlatform } from '../setup/supervised-platform.js';
import { blocksOf, commandsOf, GUIDES_FOLDER, runInShell } from './support/guide-shell.js';

jest.setTimeout(240_000);

/** In an order in which each finds what it names. */
const GUIDES = [
  'first-calls.md',
  'datasets.md',
  'uploads-and-samples.md',
  'edge-devices.md',
  'external-sources.md',
  'dataset-syncs.md',
  'train-and-serve.md',
  'promote-a-model.md',
  'mlflow-clients.md',
  'people-and-tokens.md',
  'notifications.md',
  'erasure-and-retention.md',
];
/** Which start, stop and replace the platform: their tests are those of the command line, the lanes of upgrades and many machines, and the drill. */
const COMMANDS_ALONE = ['quickstart.md', 'upgrade.md', 'backup-and-restore.md', 'production.md'];
/** Which need torch, or change the installation itself: the lane `learning` and the suite of runtimes go their way. */
const OF_LANES = ['train-a-detector.md', 'add-a-runtime.md', 'ultralytics.md'];

describe('the guides, copied into a shell word by word', () => {
  let platform: SupervisedPlatform;
  let folder: string;

  beforeAll(async () => {
    process.env.SERVICE_OUTBOUND_ALLOW = '127.0.0.1';
    platform = await SupervisedPlatform.create();
    await platform.start();
    expect(await platform.run('sample')).toBe(0);
    folder = mkdtempSync(join(tmpdir(), 'visionops-guides-'));
    symlinkSync(platform.dataDir, join(folder, '.data'));
    writeFileSync(join(folder, 'source.py'), blocksOf('external-sources.md', 'python')[0] ?? '');
  });
  afterAll(async () => {
    await platform?.destroy();
    rmSync(folder, { recursive: true, force: true });
  }, 120_000);

  it('are all of them', () => {
    expect(readdirSync(GUIDES_FOLDER).sort()).toEqual([...GUIDES, ...COMMANDS_ALONE, ...OF_LANES].sort());
  });

  it.each(GUIDES)('%s', async (guide) => {
    const { code, output } = await runInShell(commandsOf(guide), platform.baseUrl, folder, 120_000);
    expect({ code, output: code === 0 ? '' : output.slice(-3000) }).toEqual({ code: 0, output: '' });
  });
});
