import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const AGENT = join(ROOT, 'clients/device-agent');

it('the agent for devices survives an absent platform, cut downloads and broken models', () => {
  const { status, stderr } = spawnSync(
    'python3',
    ['-B', '-m', 'unittest', 'discover', '-s', '.', '-t', '.'],
    {
      cwd: AGENT,
      encoding: 'utf8',
      timeout: 110_000,
    },
  );
  expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' });
  expect(stderr).toContain('OK');
});

it.each(['web/src/edge/token/device-snippets.ts', 'docs/guide/edge-devices.md'])(
  '%s installs the agent from what the repository holds',
  (file) => {
    const [, folder = '', extra = ''] =
      /pip install '(\S+)\[(\w+)\]'/.exec(readFileSync(join(ROOT, file), 'utf8')) ?? [];
    const project = readFileSync(join(ROOT, folder, 'pyproject.toml'), 'utf8');
    expect(project).toMatch(/^name = "visionops-device"$/m);
    expect(project).toMatch(new RegExp(`^${extra} = `, 'm'));
  },
);

it('the agent reads pictures by the same rules as training and serving', () => {
  const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
  const ofAgent = read('clients/device-agent/visionops_device/predictors/encoded.py');
  expect(ofAgent).toBe(read('docker/contract/pictures.py'));
  const extensions = (file: string) => /^EXTENSIONS = \(.*\)$/m.exec(read(file))?.[0];
  const watched = extensions('clients/device-agent/visionops_device/pictures.py');
  expect(watched).toMatch(/"\.avif"/);
  expect(watched).toBe(extensions('docker/contract/pictures.py'));
});

it.each(['docs/guide/deployments.md', 'clients/device-agent/README.md', 'web/src/text/new-deployment.ts'])(
  '%s says that the agent runs no image',
  (file) => {
    expect(readFileSync(join(ROOT, file), 'utf8')).toMatch(/runs (none|no containers)[:,] .*fails on it/);
  },
);
