/**
 * Who may import whom: the table of ARCHITECTURE.md as rules of dependency-cruiser. Each rule is `error`.
 * `WITH_TYPES` sees type imports too (layering); `LOADED` sees only what is really loaded when the program runs.
 */
const PRODUCT = '^(core|formats|models|adapters|api|workflows|activities|cli)/';
/** What wires things: the composition roots, and the part of one for a domain. */
const ROOTS = '^(api|activities)/((container|process-resources|main|worker)\\.ts$|.*\\.wiring\\.ts$)';
/** Constant lists that rules look things up in. */
const PURE_LISTS = ['^models/accounts/common-passwords\\.ts$', '^models/features/feature-catalog\\.ts$'];
const HTTP = ['express', 'tsoa', '@tsoa/runtime', 'multer', 'passport', 'helmet'];
const STORAGE = ['minio', '@kubernetes/client-node', 'nodemailer', 'undici'];
const ORM = ['@mikro-orm/[^/]+', 'pg', 'kysely'];
const TEMPORAL = ['@temporalio/[^/]+'];

const npm = (...names) => names.map((name) => `node_modules/(@types/)?${name}(/|$)`);
const OF_PACKAGES = [
  'npm',
  'npm-dev',
  'npm-optional',
  'npm-peer',
  'npm-bundled',
  'npm-no-pkg',
  'npm-unknown',
];
const rule = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

const layers = [
  rule(
    'core-stands-alone',
    'core is vocabulary: it knows no other folder',
    { path: '^core/' },
    { path: '^(formats|models|adapters|api|workflows|activities|cli|tests|bench|scripts)/' },
  ),
  rule(
    'core-has-no-io',
    'core imports no package but the schema and log libraries',
    { path: '^core/' },
    { dependencyTypes: OF_PACKAGES, pathNot: npm('zod', 'pino') },
  ),
  rule(
    'ports-are-plain',
    'a port imports nothing that must be installed',
    { path: '^core/ports/' },
    { dependencyTypes: OF_PACKAGES },
  ),
  rule(
    'models-know-no-process',
    'models serve api, workflows and activities, never the other way',
    { path: '^models/' },
    { path: '^(adapters|api|workflows|activities|cli|tests|bench|scripts)/' },
  ),
  rule(
    'formats-are-pure',
    'formats turn bytes into values: they know core alone and neither ask nor store anything',
    { path: '^formats/' },
    { path: '^(models|adapters|api|workflows|activities|cli|tests|bench|scripts)/' },
  ),
  rule(
    'formats-know-no-vendor',
    'formats know neither the database nor what adapters use',
    { path: '^formats/' },
    { path: npm(...HTTP, ...STORAGE, ...ORM, ...TEMPORAL) },
  ),
  rule(
    'models-know-no-protocol',
    'models know neither HTTP nor Temporal nor what adapters use',
    { path: '^models/' },
    { path: npm(...HTTP, ...STORAGE, ...TEMPORAL) },
  ),
  rule(
    'rules-are-pure',
    'rules and types import core and other rules and types: workflows load them',
    { path: '^models/.*\\.(rules|types)\\.ts$' },
    { path: '^models/', pathNot: ['\\.(rules|types)\\.ts$', ...PURE_LISTS] },
  ),
  rule(
    'rules-load-nothing',
    'rules and types need no package and no builtin of Node',
    { path: '^models/.*\\.(rules|types)\\.ts$' },
    { dependencyTypes: [...OF_PACKAGES, 'core'] },
  ),
  rule(
    'api-layers',
    'the API knows activities and workflows by ports and contracts alone',
    { path: '^api/', pathNot: ROOTS },
    { path: '^(adapters|activities|cli|tests|bench|scripts)/' },
  ),
  rule(
    'api-knows-contracts',
    'the API imports of workflows only contracts',
    { path: '^api/' },
    { path: '^workflows/', pathNot: '\\.contract\\.ts$' },
  ),
  rule(
    'controllers-only-translate',
    'a controller knows its service, schemas, mapper and HTTP',
    { path: '\\.controller\\.ts$' },
    { path: ['^models/', '^workflows/', '^core/ports/', ...npm(...ORM, ...TEMPORAL, ...STORAGE)] },
  ),
  rule(
    'services-know-no-http',
    'a service knows neither HTTP nor vendors',
    { path: '^api/.*\\.service(\\.platform)?\\.ts$' },
    { path: npm(...HTTP, ...STORAGE, ...TEMPORAL, '@mikro-orm/[^/]+', 'pg') },
  ),
  rule(
    'services-are-apart',
    "a service does not call another domain's service",
    { path: '^api/([^/]+)/.*\\.service(\\.platform)?\\.ts$' },
    { path: '^api/[^/]+/.*\\.service(\\.platform)?\\.ts$', pathNot: '^api/$1/' },
  ),
  rule(
    'controllers-are-apart',
    'nobody but the composition root and the generated routes imports a controller',
    { path: '^(api|activities|models|workflows)/', pathNot: [ROOTS, '^api/generated/'] },
    { path: '\\.controller\\.ts$' },
  ),
  rule(
    'activities-know-no-api',
    'activities do not know the API',
    { path: '^activities/' },
    { path: '^(api|cli|tests|bench|scripts)/' },
  ),
  rule(
    'activities-use-ports',
    'adapters are handed to activities, never imported',
    { path: '^activities/', pathNot: ROOTS },
    { path: '^adapters/' },
  ),
  rule(
    'activities-use-no-vendor',
    'activities use ports in place of vendor packages',
    { path: '^activities/', pathNot: [ROOTS, '^activities/support/'] },
    { path: npm(...HTTP, ...STORAGE, '@temporalio/(client|worker)', '@mikro-orm/[^/]+', 'pg') },
  ),
  rule(
    'activity-domains-are-apart',
    "activities of a domain do not import another domain's activities",
    { path: '^activities/([^/]+)/', pathNot: '^activities/support/' },
    { path: '^activities/[^/]+/.*\\.activities\\.ts$', pathNot: '^activities/$1/' },
  ),
  rule(
    'adapters-are-apart',
    'an adapter does not know another one, patches of libraries know none',
    { path: '^adapters/([^/]+)/' },
    { path: '^adapters/[^/]+/', pathNot: '^adapters/($1|library-patches)/' },
  ),
  rule(
    'adapters-know-ports',
    'an adapter knows ports and formats, never what uses it',
    { path: '^adapters/' },
    { path: '^(models|api|workflows|activities|cli|tests|bench|scripts)/' },
  ),
  rule(
    'contracts-know-no-workflow',
    'a contract is what others may see of a workflow',
    { path: '\\.contract\\.ts$' },
    { path: '\\.workflow\\.ts$' },
  ),
  rule(
    'workflows-are-closed',
    'workflows know core errors and events, rules and types, and activities by type',
    { path: '^workflows/' },
    {
      path: PRODUCT,
      pathNot: ['^workflows/', '^core/(errors|events)/', '^models/.*\\.(rules|types)\\.ts$', '^activities/'],
    },
  ),
  rule(
    'workflows-name-activities-by-type',
    'importing an activity for its value would load its effects',
    { path: '^workflows/' },
    { path: '^activities/', dependencyTypesNot: ['type-only'] },
  ),
  rule(
    'workflows-use-two-packages',
    'only these packages are deterministic',
    { path: '^workflows/' },
    { dependencyTypes: OF_PACKAGES, pathNot: npm('@temporalio/(workflow|common)') },
  ),
  rule(
    'workflows-use-no-builtin',
    'the workflow sandbox has no Node',
    { path: '^workflows/' },
    { dependencyTypes: ['core'], pathNot: '^(node:)?(assert|url|util)$' },
  ),
  rule(
    'product-knows-no-tests',
    'the product does not import what only builds or tests it',
    { path: PRODUCT },
    { path: '^(tests|bench)/' },
  ),
  rule(
    'no-development-package',
    'the product imports what it installs',
    { path: PRODUCT },
    { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'], pathNot: 'node_modules/@types/' },
  ),
  rule(
    'no-undeclared-package',
    'every imported package stands in package.json',
    { path: `${PRODUCT}|^(scripts|tests|bench)/` },
    { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
  ),
];

const CONSOLE_FEATURES = '^web/src/(datasets|training|models|serving|edge|people|admin|home)/';

const consoleRules = [
  rule(
    'console-speaks-http',
    'the console knows the platform by its API; of the code it shares the table of roles alone',
    { path: '^web/' },
    { path: PRODUCT, pathNot: '^models/access/permission\\.rules\\.ts$' },
  ),
  rule(
    'product-knows-no-console',
    'the API sends what the build of the console left, and loads none of it',
    { path: PRODUCT },
    { path: '^web/' },
  ),
  rule(
    'console-features-stand-apart',
    'what two features of the console use is a shared part',
    { path: CONSOLE_FEATURES },
    { path: CONSOLE_FEATURES, pathNot: '^web/src/$1/' },
  ),
  rule(
    'console-parts-know-no-feature',
    'shared parts, texts and the client serve all features',
    { path: '^web/src/(shared|text|api)/' },
    { path: CONSOLE_FEATURES },
  ),
];

const noCycles = rule(
  'no-cycles',
  'files that need each other are one file, or one too many',
  {},
  { circular: true },
);
const resolvable = rule(
  'resolvable',
  'every import is found',
  { path: PRODUCT },
  { couldNotResolve: true, pathNot: '/generated/' },
);

export const WITH_TYPES = [...layers, ...consoleRules, noCycles, resolvable];

export const LOADED = [
  noCycles,
  rule(
    'api-loads-no-worker',
    "the API speaks to Temporal by its client alone: the worker's engine costs 100 MB",
    { path: '^api/' },
    { path: npm('@temporalio/(worker|activity|workflow|testing)'), reachable: true },
  ),
  rule(
    'api-loads-no-compiler',
    'tsoa at run time is @tsoa/runtime; the package tsoa loads the TypeScript compiler',
    { path: PRODUCT },
    { path: npm('tsoa', '@tsoa/cli', 'typescript') },
  ),
  rule(
    'workflows-load-no-effects',
    'nothing that a workflow loads may touch the world',
    { path: '^workflows/' },
    {
      path: ['^activities/', '^api/', '^cli/', '\\.(queries|sql|platform|commands|entity)\\.ts$'],
      reachable: true,
    },
  ),
];
