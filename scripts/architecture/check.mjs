// Holds the tree in the current folder against rules.mjs and the other rules of this folder. Ends with 1 on a violation.
import { existsSync } from 'node:fs';
import { cruise } from 'dependency-cruiser';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';
import { SOURCES } from '../source-folders.mjs';
import { builderViolations } from './builder-writes.mjs';
import { consoleFileViolations } from './console-files.mjs';
import { consoleReadViolations } from './console-reads.mjs';
import { domainViolations } from './domain-layers.mjs';
import { platformViolations } from './platform-access.mjs';
import { LOADED, WITH_TYPES } from './rules.mjs';

const folders = [...SOURCES, 'web/src'].filter((folder) => existsSync(folder));
const tsConfig = extractTSConfig('tsconfig.json');

/** @returns violations as lines `rule: from -> to`, and the modules that were looked at */
async function violationsOf(rules, withTypes) {
  const options = {
    validate: true,
    ruleSet: { forbidden: rules },
    tsPreCompilationDeps: withTypes,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^dist/' },
    combinedDependencies: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  };
  const { output } = await cruise(folders, options, {}, { tsConfig });
  const violations = output.summary.violations.map(
    ({ rule, from, to, cycle }) =>
      `${rule.name}: ${from} -> ${cycle ? cycle.map(({ name }) => name).join(' -> ') : to}`,
  );
  return { violations, modules: output.modules };
}

const { violations: layering, modules } = await violationsOf(WITH_TYPES, true);
const loaded = (await violationsOf(LOADED, false)).violations.filter((line) => !layering.includes(line));
const found = [
  ...layering,
  ...loaded,
  ...domainViolations(modules),
  ...platformViolations(),
  ...builderViolations(),
  ...consoleFileViolations(),
  ...consoleReadViolations(),
];
for (const line of found) console.log(line);
console.log(`${found.length} violations of the architecture`);
process.exit(found.length === 0 ? 0 : 1);
