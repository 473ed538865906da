import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ADMIN, SupervisedPlatform } from '../setup/supervised-platform.js';

jest.setTimeout(240_000);

const FOLDER = 'docs/guide';
const MAIN = fileURLToPath(new URL('../../cli/main.js', import.meta.url));
/** In an order in which each finds what it names. */
const GUIDES = [
  'first-calls.md',
  'datasets.md',
  'uploads-and-samples.md',
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

const blocksOf = (guide: string, language = ''): string[] => {
  const text = readFileSync(join(FOLDER, guide), 'utf8');
  const found = [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)];
  return found.filter(([, tag]) => tag === language).map(([, , body]) => body as string);
};

/** Blocks that readers copy into a shell, but for those that start the platform itself. */
const shellOf = (guide: string): string[] => blocksOf(guide).filter((block) => !/npm start$/m.test(block));

/** A refused call ends the script; a stream is followed for a while. */
const PRELUDE = `set -e
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
npm() { shift 2; "$NODE" "$MAIN" "$@"; }
curl() {
  local follow=; [[ " $* " == *' -sN '* ]] && follow='--max-time 5'
  command curl --fail-with-body $follow "$@" || { local code=$?; [ "$code" = 28 ] && [ -n "$follow" ]; }
}
`;

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

  const run = (script: string): Promise<{ code: number; output: string }> => {
    const reader = { B: platform.baseUrl, EMAIL: ADMIN.email, PASSWORD: ADMIN.password };
    const env = { PATH: process.env.PATH, ...reader, NODE: process.execPath, MAIN };
    return new Promise((resolve) => {
      const done = (error: { code?: unknown } | null, stdout: string, stderr: string) =>
        resolve({ code: error === null ? 0 : Number(error.code ?? 1), output: `${stdout}\n${stderr}` });
      const options = { cwd: folder, env, timeout: 120_000, maxBuffer: 64 * 1024 ** 2 };
      execFile('bash', ['-c', PRELUDE + script], options, done);
    });
  };

  it('are all of them', () => {
    expect(readdirSync(FOLDER).sort()).toEqual([...GUIDES, ...COMMANDS_ALONE].sort());
  });

  it.each(GUIDES)('%s', async (guide) => {
    const [signIn = '', chooseTenant = '', ...further] = shellOf('first-calls.md');
    const own = guide === 'first-calls.md' ? further : shellOf(guide);
    expect(own.length).toBeGreaterThan(0);
    const { code, output } = await run([signIn, chooseTenant, ...own].join('\n'));
    expect({ code, output: code === 0 ? '' : output.slice(-3000) }).toEqual({ code: 0, output: '' });
  });
});
