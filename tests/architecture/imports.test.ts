import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const COPIED = [
  'core',
  'formats',
  'models',
  'adapters',
  'api',
  'workflows',
  'activities',
  'cli',
  'web',
  'scripts',
  'package.json',
  'tsconfig.json',
];

/** What is planted, and the rule that must report it. */
const PLANTED: ReadonlyArray<readonly [rule: string, file: string, code: string]> = [
  [
    'console-speaks-http',
    'web/src/shared/planted-rules.ts',
    `import { assertTransition } from '../../../core/states/state-machine.ts';\nexport const planted = assertTransition;`,
  ],
  [
    'product-knows-no-console',
    'api/console/planted.ts',
    `import { theme } from '../../web/src/app/theme.js';\nexport const planted = theme;`,
  ],
  [
    'console-features-stand-apart',
    'web/src/datasets/planted.ts',
    `import { trainingRoutes } from '../training/routes';\nexport const planted = trainingRoutes;`,
  ],
  [
    'console-parts-know-no-feature',
    'web/src/shared/planted-feature.ts',
    `import { modelRoutes } from '../models/routes';\nexport const planted = modelRoutes;`,
  ],
  ['console-files-are-short', 'web/src/shared/planted-long.ts', '// a line\n'.repeat(250)],
  [
    'console-keeps-what-was-read',
    'web/src/shared/planted-read.tsx',
    `export const Planted = ({ query }: { query: { isError: boolean } }) => (query.isError ? 'failed' : 'page');`,
  ],
  [
    'core-stands-alone',
    'core/planted-outward.ts',
    `import type { Database } from '../models/orm/in-tenant.js';\nexport type Planted = Database;`,
  ],
  ['core-has-no-io', 'core/planted-io.ts', `import pg from 'pg';\nexport const planted = pg;`],
  ['ports-are-plain', 'core/ports/planted.ts', `import { z } from 'zod';\nexport const planted = z;`],
  [
    'models-know-no-process',
    'models/tenants/planted.commands.ts',
    `import type { Container } from '../../api/container.js';\nexport type Planted = Container;`,
  ],
  [
    'models-know-no-protocol',
    'models/tenants/planted-http.repository.ts',
    `import type { Request } from 'express';\nexport type Planted = Request;`,
  ],
  [
    'rules-are-pure',
    'models/tenants/planted.rules.ts',
    `import type { Database } from '../orm/in-tenant.js';\nexport type Planted = Database;`,
  ],
  [
    'rules-load-nothing',
    'models/tenants/planted-clock.rules.ts',
    `import { hostname } from 'node:os';\nexport const planted = hostname;`,
  ],
  [
    'api-layers',
    'api/tenants/planted-adapter.ts',
    `import { createFileMailer } from '../../adapters/smtp/file-mailer.js';\nexport const planted = createFileMailer;`,
  ],
  [
    'api-knows-contracts',
    'api/system/planted-workflow.ts',
    `import { maintenanceWorkflow } from '../../workflows/system/maintenance.workflow.js';\nexport const planted = maintenanceWorkflow;`,
  ],
  [
    'controllers-only-translate',
    'api/tenants/planted.controller.ts',
    `import type { Database } from '../../models/orm/in-tenant.js';\nexport type Planted = Database;`,
  ],
  [
    'services-know-no-http',
    'api/tenants/planted.service.ts',
    `import type { Request } from 'express';\nexport type Planted = Request;`,
  ],
  [
    'services-are-apart',
    'api/tenants/planted-other.service.ts',
    `import type { AccountsService } from '../accounts/accounts.service.platform.js';\nexport type Planted = AccountsService;`,
  ],
  [
    'activities-know-no-api',
    'activities/system/planted-api.ts',
    `import type { Container } from '../../api/container.js';\nexport type Planted = Container;`,
  ],
  [
    'activities-use-ports',
    'activities/system/planted.activities.ts',
    `import { createFileMailer } from '../../adapters/smtp/file-mailer.js';\nexport const planted = createFileMailer;`,
  ],
  [
    'activities-use-no-vendor',
    'activities/system/planted-vendor.activities.ts',
    `import { Client } from 'minio';\nexport const planted = Client;`,
  ],
  [
    'adapters-are-apart',
    'adapters/smtp/planted.ts',
    `import { upsertSchedule } from '../temporal/schedules.js';\nexport const planted = upsertSchedule;`,
  ],
  [
    'adapters-are-apart',
    'adapters/library-patches/planted-adapter.ts',
    `import { createFileMailer } from '../smtp/file-mailer.js';\nexport const planted = createFileMailer;`,
  ],
  [
    'contracts-know-no-workflow',
    'workflows/system/planted.contract.ts',
    `import type { maintenanceWorkflow } from './maintenance.workflow.js';\nexport type Planted = typeof maintenanceWorkflow;`,
  ],
  [
    'workflows-are-closed',
    'workflows/system/planted-row.workflow.ts',
    `import type { Database } from '../../models/orm/in-tenant.js';\nexport type Planted = Database;`,
  ],
  [
    'workflows-name-activities-by-type',
    'workflows/system/planted-activity.workflow.ts',
    `import { createMaintenanceActivities } from '../../activities/system/maintenance.activities.js';\nexport const planted = createMaintenanceActivities;`,
  ],
  [
    'workflows-use-two-packages',
    'workflows/system/planted-package.workflow.ts',
    `import { z } from 'zod';\nexport const planted = z;`,
  ],
  [
    'workflows-use-no-builtin',
    'workflows/system/planted-builtin.workflow.ts',
    `import { randomUUID } from 'node:crypto';\nexport const planted = randomUUID;`,
  ],
  [
    'no-cycles',
    'core/errors/planted-a.ts',
    `import { b } from './planted-b.js';\nexport const a = (): unknown => b;`,
  ],
  [
    'no-development-package',
    'core/planted-development.ts',
    `import fc from 'fast-check';\nexport const planted = fc;`,
  ],
  [
    'controllers-are-apart',
    'api/tenants/planted-controller.ts',
    `import type { HealthController } from '../system/health.controller.js';\nexport type Planted = HealthController;`,
  ],
  [
    'activity-domains-are-apart',
    'activities/datasets/planted-other.ts',
    `import type { MaintenanceActivities } from '../system/maintenance.activities.js';\nexport type Planted = MaintenanceActivities;`,
  ],
  [
    'product-knows-no-tests',
    'cli/planted-tests.ts',
    `import type { EngineFacts } from '../tests/planted-facts.js';\nexport type Planted = EngineFacts;`,
  ],
  [
    'no-undeclared-package',
    'core/planted-undeclared.ts',
    `import accepts from 'accepts';\nexport const planted = accepts;`,
  ],
  [
    'resolvable',
    'cli/planted-missing.ts',
    `import { nothing } from './planted-nowhere.js';\nexport const planted = nothing;`,
  ],
  [
    'workflows-load-no-effects',
    'workflows/system/planted-effect.workflow.ts',
    `import { createMaintenanceActivities } from '../../activities/system/maintenance.activities.js';\nexport const planted = createMaintenanceActivities;`,
  ],
  [
    'model-domains-are-layered',
    'models/features/planted.types.ts',
    `import type { DeletionStatus } from '../tenants/deletion.types.js';\nexport type Planted = DeletionStatus;`,
  ],
  [
    'model-domains-are-layered',
    'models/tenants/planted-write.sql.ts',
    "export const PLANTED = '-- bulk: all devices of a tenant\\n update edge_device set policy_revision = 1';",
  ],
  [
    'api-domains-are-layered',
    'api/http/planted-domain.ts',
    `import type { MetricsService } from '../mlflow/metrics/metrics.service.js';\nexport type Planted = MetricsService;`,
  ],
  [
    'platform-access-is-named',
    'api/datasets/planted-platform.ts',
    `export const planted = (db: { inPlatform: () => void }): void => db.inPlatform();`,
  ],
  [
    'platform-access-is-named',
    'models/edge/planted-ingest.ts',
    `export const planted = (db: { inIngest: () => void }): void => db.inIngest();`,
  ],
  [
    'platform-access-is-named',
    'activities/tenants/planted-step.ts',
    `export const planted = (step: { transact: () => void }): void => step.transact();`,
  ],
  [
    'platform-access-is-named',
    'models/tenants/planted-any.queries.ts',
    `import type { TenantTransaction, Transaction } from '../orm/transaction.js';\nexport type Planted = [Transaction, TenantTransaction];`,
  ],
  [
    'platform-access-is-named',
    'cli/planted-connection.ts',
    `import type { DirectConnection } from '../models/orm/direct-connection.js';\nexport type Planted = DirectConnection;`,
  ],
  [
    'builder-only-reads',
    'models/tenants/planted-write.commands.ts',
    `import type { TenantTransaction } from '../orm/transaction.js';\nexport const planted = (tx: TenantTransaction): unknown =>\n  tx.kysely\n    .updateTable('tenant')\n    .set({ name: 'x' })\n    .execute();`,
  ],
  [
    'formats-are-pure',
    'formats/tables/planted.ts',
    `import type { Database } from '../../models/orm/in-tenant.js';\nexport type Planted = Database;`,
  ],
  [
    'formats-know-no-vendor',
    'formats/tables/planted-vendor.ts',
    `import pg from 'pg';\nexport const planted = pg;`,
  ],
  [
    'adapters-know-ports',
    'adapters/smtp/planted-user.ts',
    `import type { Database } from '../../models/orm/in-tenant.js';\nexport type Planted = Database;`,
  ],
  [
    'api-loads-no-worker',
    'api/http/planted-worker.ts',
    `import { Worker } from '@temporalio/worker';\nexport const planted = Worker;`,
  ],
  [
    'api-loads-no-compiler',
    'api/http/planted-compiler.ts',
    `import ts from 'typescript';\nexport const planted = ts;`,
  ],
];

/** What plants need to stand beside them: the other half of the cycle, which is reported once, and a file of the tests. */
const PROPS = [
  ['core/errors/planted-b.ts', `import { a } from './planted-a.js';\nexport const b = (): unknown => a;`],
  ['tests/planted-facts.ts', 'export type EngineFacts = string;'],
] as const;

const root = process.cwd();
const copy = mkdtempSync(join(tmpdir(), 'visionops-architecture-'));

beforeAll(() => {
  for (const name of COPIED) cpSync(join(root, name), join(copy, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  for (const [file, code] of [...PLANTED.map(([, file, code]) => [file, code] as const), ...PROPS]) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    writeFileSync(join(copy, file), `${code}\n`);
  }
});

afterAll(() => rmSync(copy, { recursive: true, force: true }));

describe('the rules of who may import whom', () => {
  it('each have a planted violation', async () => {
    const load = async <T>(name: string): Promise<T> =>
      (await import(pathToFileURL(join(root, 'scripts/architecture', name)).href)) as T;
    const { WITH_TYPES, LOADED } =
      await load<Record<'WITH_TYPES' | 'LOADED', ReadonlyArray<{ name: string }>>>('rules.mjs');
    const { PLATFORM_RULE } = await load<{ PLATFORM_RULE: { name: string } }>('platform-access.mjs');
    const { BUILDER_RULE } = await load<{ BUILDER_RULE: { name: string } }>('builder-writes.mjs');
    const { CONSOLE_FILES_RULE } = await load<{ CONSOLE_FILES_RULE: { name: string } }>('console-files.mjs');
    const { CONSOLE_READS_RULE } = await load<{ CONSOLE_READS_RULE: { name: string } }>('console-reads.mjs');
    const { DOMAIN_RULES } = await load<{ DOMAIN_RULES: ReadonlyArray<{ name: string }> }>(
      'domain-layers.mjs',
    );
    const names = [
      ...WITH_TYPES,
      ...LOADED,
      PLATFORM_RULE,
      ...DOMAIN_RULES,
      BUILDER_RULE,
      CONSOLE_FILES_RULE,
      CONSOLE_READS_RULE,
    ].map((rule) => rule.name);
    expect([...new Set(PLANTED.map(([rule]) => rule))].sort()).toEqual([...new Set(names)].sort());
  });

  it('report every planted violation, and only those', async () => {
    const lines = (await check(copy)).split('\n').filter((line) => line.includes(' -> '));
    const missed = PLANTED.filter(
      ([rule, file]) => !lines.some((line) => line.startsWith(`${rule}: ${file} `)),
    );
    expect(missed.map(([rule, file]) => `${rule}: ${file}`)).toEqual([]);
    expect(lines.filter((line) => !line.includes('planted'))).toEqual([]);
  });
});

/** The lines of the check, whether it found something or not. */
function check(folder: string): Promise<string> {
  const child = spawn(process.execPath, ['scripts/architecture/check.mjs'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  return new Promise((resolve, reject) => child.once('error', reject).once('close', () => resolve(output)));
}
