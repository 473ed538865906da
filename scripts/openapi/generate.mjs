// Generates api/generated/routes.ts and api/generated/openapi.json from the controllers.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { generateRoutes, generateSpec } from '@tsoa/cli';
import ts from 'typescript';
import { ColonRouteGenerator } from './library-patches/colon-route-generator.mjs';
import { finishSpec } from './finish-spec.mjs';
import { INTRODUCTION } from './introduction.mjs';

process.chdir(fileURLToPath(new URL('../..', import.meta.url)));
const config = JSON.parse(readFileSync('tsoa.json', 'utf8'));
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const read = ts.readConfigFile('tsconfig.json', ts.sys.readFile);
const { options } = ts.parseJsonConfigFileContent(read.config, ts.sys, '.');

const shared = {
  entryFile: config.entryFile,
  controllerPathGlobs: config.controllerPathGlobs,
  noImplicitAdditionalProperties: config.noImplicitAdditionalProperties,
};
mkdirSync(config.spec.outputDirectory, { recursive: true });
// tsoa reports each pair such as `{id}` and `{id}:complete` as a duplicate; the route index distinguishes them.
const warn = console.warn;
console.warn = (...args) =>
  String(args[0]).includes('Duplicate path parameter') ? undefined : warn(...args);
const metadata = await generateSpec(
  {
    ...shared,
    ...config.spec,
    name: 'VisionOps',
    version,
    description: INTRODUCTION,
    outputDirectory: config.spec.outputDirectory,
  },
  options,
);
const file = `${config.spec.outputDirectory}/${config.spec.specFileBaseName}.json`;
const spec = finishSpec(JSON.parse(readFileSync(file, 'utf8')));
writeFileSync(file, `${JSON.stringify(spec, null, 1)}\n`);
await generateRoutes(
  { ...shared, ...config.routes, routeGenerator: ColonRouteGenerator },
  options,
  undefined,
  metadata,
);
console.log(`${Object.values(spec.paths).reduce((n, item) => n + Object.keys(item).length, 0)} operations`);
