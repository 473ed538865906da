import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';

it('finds the reference pages to be what the code makes of them', async () => {
  const check = promisify(execFile)(process.execPath, ['scripts/docs/reference.mjs', '--check']);
  await expect(check).resolves.toMatchObject({ stderr: '' });
});
