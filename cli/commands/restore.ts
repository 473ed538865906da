import { finishRestore, type SettledKind } from '../../models/backup/restores.platform.js';
import { MIGRATIONS } from '../../models/migrations/list.js';
import { type DirectConnection, directConnection } from '../../models/orm/direct-connection.js';
import { Database } from '../../models/orm/in-tenant.js';
import { migrate } from '../../models/orm/migrate.js';
import { findUnreadable } from '../../models/system/reseal.platform.js';
import type { KeyRing } from '../../core/security/key-ring.js';
import type { Arguments } from '../arguments.js';
import { requireKeys } from '../backup/backup-keys.js';
import { beginRestore, clearDatabase, endRestore, requireEmptyBucket } from '../backup/empty-target.js';
import { inMegabytes } from '../backup/folder.js';
import { loadDatabase } from '../backup/load-database.js';
import { loadObjects } from '../backup/load-objects.js';
import { type Manifest, readManifest } from '../backup/manifest.js';
import { type Installation, withInstallation } from '../backup/open-installation.js';
import { EngineError } from '../engines/engine.js';
import { hint } from '../terminal/hint.js';
import { Progress } from '../terminal/progress.js';
import { folderOf } from './backup.js';
import { passwordsFromUrls } from './migrate.js';

/** Loads a backup into an empty database and bucket, and says done once every digest has been compared. */
export async function restore(args: Arguments): Promise<number> {
  const folder = folderOf(args);
  const manifest = readManifest(folder);
  requireKnownMigrations(manifest);
  const progress = new Progress(process.stdout);
  // With other keys nothing is begun: a start would take what is left for a platform of its own.
  const check = (keys: KeyRing | null) => requireKeys(keys, manifest.keys);
  const load = async (target: Installation) => {
    const keys = check(target.keys);
    await withOwner(target.ownerUrl, (client) => clearDatabase(client, args.dataDir));
    await requireEmptyBucket(target.store, folder, args.dataDir);
    await withOwner(target.ownerUrl, beginRestore);
    await restoreObjects(target, folder, manifest, progress);
    await restoreRows(target, folder, manifest, progress);
    const kinds = await makeInstallation(target, keys, manifest, progress);
    target.keepKeys();
    return kinds;
  };
  const settled = await withInstallation(args.dataDir, 'new', load, check);
  printResult(manifest, settled, progress, args.dataDir);
  return 0;
}

function requireKnownMigrations({ migrations, version }: Manifest): void {
  const known = new Set(MIGRATIONS.map(({ name }) => name));
  const unknown = migrations.find((name) => !known.has(name));
  if (unknown !== undefined)
    throw new EngineError(
      `The backup is of version ${version} with the migration ${unknown}, which this version does not have: restore it with that version or a newer one.`,
    );
}

const restoreObjects = ({ store }: Installation, folder: string, manifest: Manifest, progress: Progress) =>
  progress.step('objects, each read back', (report) =>
    loadObjects(
      store,
      folder,
      manifest,
      async ({ key, sizeBytes }) => (await store.head(key))?.sizeBytes === sizeBytes,
      report,
    ),
  );

async function restoreRows(
  { ownerUrl, passwords }: Installation,
  folder: string,
  manifest: Manifest,
  progress: Progress,
): Promise<void> {
  const known = MIGRATIONS.filter(({ name }) => manifest.migrations.includes(name));
  const common = { ownerUrl, passwords: passwords ?? passwordsFromUrls(), isRestore: true };
  await progress.step('schema of the backup', () => migrate({ ...common, migrations: known }));
  await progress.step('rows', (report) =>
    withOwner(ownerUrl, (client) => loadDatabase(client, folder, manifest, report)),
  );
  await progress.step('newer migrations', () => migrate(common));
}

/** From rows to an installation that may be started. */
const makeInstallation = (
  { ownerUrl, appUrl, platformUrl }: Installation,
  keys: KeyRing,
  { id, takenAt }: Manifest,
  progress: Progress,
): Promise<SettledKind[]> =>
  progress.step('work that was under way', async () => {
    const db = await Database.open({
      ...{ appUrl, platformUrl, appPool: 2, platformPool: 2 },
      applicationName: 'visionops-restore',
    });
    try {
      await requireReadable(db, keys);
      const settled = await finishRestore(db, { id, takenAt: new Date(takenAt) });
      await withOwner(ownerUrl, endRestore);
      return settled;
    } finally {
      await db.close();
    }
  });

/** Whatever a manifest says of them, the keys at hand must open what is sealed. */
async function requireReadable(db: Database, keys: KeyRing): Promise<void> {
  const unreadable = await findUnreadable(db, keys);
  if (unreadable.length > 0)
    throw new EngineError(
      `SERVICE_SECRET_KEYS holds other keys than the installation that was backed up, under the same ids: ${unreadable.length} stored secrets cannot be opened, such as ${unreadable[0]}. Run the restore again with its keys.`,
    );
}

function printResult(
  manifest: Manifest,
  settled: readonly SettledKind[],
  progress: Progress,
  dataDir: string,
): void {
  const { objects, tables, takenAt } = manifest;
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  progress.say(
    `Restored the backup of ${takenAt}: ${rows} rows, ${objects.count} objects (${inMegabytes(objects.sizeBytes)}).`,
  );
  for (const { workflowType, becomes, rows: count } of settled)
    if (count > 0)
      progress.say(
        `  ${workflowType}: ${count} under way ${becomes === 'failed' ? 'failed, with the reason' : `began ${becomes}`}`,
      );
  const missing = objects.deleted + objects.damaged;
  if (missing > 0) progress.say(`  ${missing} objects were missing in the backup already`);
  progress.say(
    `Everybody signs in again. Start it with "${hint('start --no-sample', dataDir)}", then run "${hint('verify-audit', dataDir)}".`,
  );
}

async function withOwner<T>(ownerUrl: string, work: (client: DirectConnection) => Promise<T>): Promise<T> {
  const client = directConnection({ connectionString: ownerUrl, application_name: 'visionops-restore' });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query("set statement_timeout = 0; set datestyle = 'ISO, YMD'; set timezone = 'UTC'");
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}
