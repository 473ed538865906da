import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, it } from '@jest/globals';
import { makeLayerFolder, sweepLayerFolders } from '../../../activities/images/layer-folders.js';

/** Above what Linux gives to any process. */
const NOBODY = 2 ** 22 + 1;

it('removes the layers of killed workers and of a predecessor with the same number, but not those of a living one', async () => {
  const home = mkdtempSync(join(tmpdir(), 'visionops-layers-'));
  const folder = join(home, 'tmp');
  try {
    expect(await sweepLayerFolders(folder)).toBe(0);
    const own = await makeLayerFolder(folder);
    for (const name of [`layer-${NOBODY}-dead`, `layer-${process.ppid}-busy`, 'something-else'])
      mkdirSync(join(folder, name));
    writeFileSync(join(folder, `layer-${NOBODY}-dead`, 'layer.tar.gz'), 'half');
    expect(basename(own)).toMatch(new RegExp(`^layer-${process.pid}-`));
    expect(await sweepLayerFolders(folder)).toBe(2);
    expect(readdirSync(folder).sort()).toEqual([`layer-${process.ppid}-busy`, 'something-else']);
  } finally {
    rmSync(home, { recursive: true });
  }
});
