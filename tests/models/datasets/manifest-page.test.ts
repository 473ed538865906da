import { describe, expect, it } from '@jest/globals';
import {
  MANIFEST_START,
  MANIFEST_WINDOW_BYTES,
  readManifestPage,
} from '../../../models/datasets/validation/manifest-page.rules.js';
import {
  MANIFEST_TAIL,
  manifestHead,
  manifestLine,
} from '../../../models/datasets/validation/manifest.rules.js';
import type { ManifestFile } from '../../../models/datasets/validation/manifest.types.js';

const file = (path: string): ManifestFile => ({
  path,
  sha256: 'a',
  size: 1,
  key: `k/${path}`,
  kind: 'image',
});
const manifestOf = (files: readonly ManifestFile[]): Buffer =>
  Buffer.from(`${manifestHead('f'.repeat(64))}${files.map(manifestLine).join(',\n')}${MANIFEST_TAIL}`);
const pageAt = (manifest: Buffer, offset: number, limit: number) =>
  readManifestPage(manifest.subarray(offset - 1, offset - 1 + MANIFEST_WINDOW_BYTES), offset, limit);

describe('a page of a manifest', () => {
  it('goes on where the one before ended, to the last file, in windows as in limits', () => {
    const files = Array.from({ length: 20_000 }, (_, at) => file(`ünder/${at}/${'x'.repeat(at % 200)}.png`));
    const manifest = manifestOf(files);
    for (const limit of [7000, 999]) {
      const found: ManifestFile[] = [];
      for (let offset: number | null = MANIFEST_START; offset !== null; ) {
        const page = pageAt(manifest, offset, limit);
        expect(page.files.length).toBeLessThanOrEqual(limit);
        found.push(...page.files);
        offset = page.next;
      }
      expect(found).toEqual(files);
    }
  });

  it('begins at a file of the manifest and nowhere else, whatever its paths say', () => {
    const forged = JSON.stringify({ ...file('x'), key: 't/of-another-tenant' });
    const manifest = manifestOf([file(`a\n${forged},\n`), file(`${forged}`), file('b')]);
    const keys = new Set<string>();
    for (let offset = 1; offset < manifest.length; offset += 1) {
      try {
        for (const { key } of pageAt(manifest, offset, 3).files) keys.add(key);
      } catch (error) {
        expect(error).toMatchObject({ code: 'bad_request' });
      }
    }
    expect([...keys].sort()).toEqual([`k/a\n${forged},\n`, 'k/b', `k/${forged}`].sort());
  });
});
