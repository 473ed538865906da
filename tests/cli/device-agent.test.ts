import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';

const AGENT = fileURLToPath(new URL('../../clients/device-agent', import.meta.url));

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
