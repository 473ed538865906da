// Holds the imports of the tree in the current folder against scripts/architecture/rules.mjs. Ends with 1 on a violation.
import { existsSync } from 'node:fs';
import { cruise } from 'dependency-cruiser';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';
import { LOADED, WITH_TYPES } from './rules.mjs';

const folders = ['core', 'models', 'api', 'workflows', 'activities', 'cli', 'scripts', 'tests', 'bench'].filter((folder) => existsSync(folder));
const tsConfig = extractTSConfig('tsconfig.json');

/** @returns violations as lines `rule: from -> to` */
async function violationsOf(rules, withTypes) {
  const options = {
    validate: true,
    ruleSet: { forbidden: rules },
    tsPreCompilationDeps: withTypes,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^dist/' },
    combinedDependencies: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  };
  const { output } = await cruise(folders, options, {}, { tsConfig });
  return output.summary.violations.map(({ rule, from, to, cycle }) => `${rule.name}: ${from} -> ${cycle ? cycle.map(({ name }) => name).join(' -> ') : to}`);
}

const layering = await violationsOf(WITH_TYPES, true);
const loaded = (await violationsOf(LOADED, false)).filter((line) => !layering.includes(line));
for (const line of [...layering, ...loaded]) console.log(line);
console.log(`${layering.length + loaded.length} violations of the architecture`);
process.exit(layering.length + loaded.length === 0 ? 0 : 1);
