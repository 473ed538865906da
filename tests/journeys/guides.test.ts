import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { PlatformClient } from '../setup/platform-client.js';
import { ADMIN, SupervisedPlatform } from '../setup/supervised-platform.js';
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
  'deployments.md',
  'mlflow-clients.md',
  'people-and-tokens.md',
  'notifications.md',
  'erasure-and-retention.md',
];
/** Which start, stop and replace the platform: their tests are those of the command line, the lanes of upgrades and many machines, and the drill. */
const COMMANDS_ALONE = ['quickstart.md', 'upgrade.md', 'backup-and-restore.md', 'production.md'];
/** Which need torch or a browser, or change the installation itself: the lanes `learning` and `browser` and the suite of runtimes go their way. */
const OF_LANES = ['train-a-detector.md', 'add-a-runtime.md', 'ultralytics.md', 'console.md'];

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
    const guides = readdirSync(GUIDES_FOLDER).filter((name) => name.endsWith('.md'));
    expect(guides.sort()).toEqual([...GUIDES, ...COMMANDS_ALONE, ...OF_LANES].sort());
  });

  it('begin with the sample, which has also left scenes with boxes whose truth is known', async () => {
    const person = await PlatformClient.signIn(platform.baseUrl, ADMIN.email, ADMIN.password, 'demo');
    const { body } = await person.expect(200, 'GET', '/api/v1/datasets/scenes-sample');
    expect(body).toMatchObject({ status: 'FROZEN', validation_status: 'PASSED', format: 'coco' });
    expect(body.validation).toMatchObject({
      errors: [],
      stats: { splits: { train: { images: 42 }, val: { images: 9 }, test: { images: 9 } } },
    });
    const again = await person.expect(200, 'GET', '/api/v1/datasets/scenes-sample/files?page_size=1');
    expect(again.body.total).toBe(63);
  });

  it.each(GUIDES)('%s', async (guide) => {
    const { code, output } = await runInShell(commandsOf(guide), platform.baseUrl, folder, 120_000);
    expect({ code, output: code === 0 ? '' : output.slice(-3000) }).toEqual({ code: 0, output: '' });
  });
});
