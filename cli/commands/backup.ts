import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { namedObjects } from '../../models/backup/named-objects.sql.js';
import { requireAlive } from '../../models/backup/stored-tables.sql.js';
import { pauseRemovals } from '../../models/objects/removal-pause.sql.js';
import { type DirectConnection, directConnection } from '../../models/orm/direct-connection.js';
import { holdOffMigrations, releaseMigrations } from '../../models/orm/migrate.js';
import type { KeyRing } from '../../core/security/key-ring.js';
import { type Arguments, UsageError } from '../arguments.js';
import { describeKeys } from '../backup/backup-keys.js';
import { claimFolder } from '../backup/claim-folder.js';
import { type CopiedObjects, copyObjects } from '../backup/copy-objects.js';
import { type DumpedDatabase, dumpDatabase } from '../backup/dump-database.js';
import { backupFiles, inMegabytes, syncFolder, writeFileWhole } from '../backup/folder.js';
import { BACKUP_FORMAT, type Manifest } from '../backup/manifest.js';
import { type Installation, withInstallation } from '../backup/open-installation.js';
import { EngineError } from '../engines/engine.js';
import { removeFile } from '../supervisor/files.js';
import { hint } from '../terminal/hint.js';
import { Progress } from '../terminal/progress.js';
import { codeVersion } from '../version.js';

/**
 * Copies the rows of one moment and the objects that they refer to into a folder, beside an installation that
 * goes on serving. Exit code 1 when rows refer to objects that the store has not got.
 */
export async function backup(args: Arguments): Promise<number> {
  const folder = folderOf(args);
  claimFolder(folder);
  const progress = new Progress(process.stdout);
  return withInstallation(args.dataDir, 'living', async (installation) => {
    const client = await connect(installation.ownerUrl);
    try {
      return await take(client, installation, folder, progress);
    } finally {
      await client.end().catch(() => undefined);
    }
  });
}

async function take(
  client: DirectConnection,
  { store, keys }: Installation,
  folder: string,
  progress: Progress,
): Promise<number> {
  await reserve(client);
  // What the folder held is no backup any more until the new manifest is there.
  removeFile(backupFiles(folder).manifest);
  const dumped = await progress.step('rows', (report) => dumpDatabase(client, folder, report));
  await releaseMigrations(client);
  const copied = await progress.step('objects', (report) =>
    copyObjects(store, folder, (lost) => namedObjects(client, lost), report),
  );
  // The lock went with the connection if that was lost: objects may have been removed since.
  await requireAlive(client);
  removeFile(backupFiles(folder).list);
  await writeManifest(folder, manifestOf(dumped, copied, keys));
  return printResult(folder, dumped, copied, progress);
}

function manifestOf(
  { neededKeys, takenAt, migrations, tables, sequences }: DumpedDatabase,
  { objects }: CopiedObjects,
  keys: KeyRing | null,
): Manifest {
  return {
    ...{ format: BACKUP_FORMAT, id: randomUUID(), version: codeVersion() },
    ...{ takenAt, finishedAt: new Date().toISOString() },
    migrations: migrations as [string, ...string[]],
    ...{ tables: [...tables], sequences: [...sequences], objects },
    keys: describeKeys(neededKeys, keys),
  };
}

/** Last and at once: a folder with a manifest holds a whole backup. */
async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  async function* text() {
    yield `${JSON.stringify(manifest, null, 2)}\n`;
  }
  await writeFileWhole(backupFiles(folder).manifest, text());
  syncFolder(folder);
}

function printResult(
  folder: string,
  dumped: DumpedDatabase,
  { objects, copied, damagedKeys }: CopiedObjects,
  progress: Progress,
): number {
  const rows = dumped.tables.reduce((sum, table) => sum + table.rows, 0);
  progress.say(`The backup of ${dumped.takenAt} is in ${folder}:`);
  progress.say(
    `  ${rows} rows, ${objects.count} objects (${inMegabytes(objects.sizeBytes)}), ${copied} of them copied now`,
  );
  if (objects.deleted > 0)
    progress.say(
      `  ${objects.deleted} objects were deleted with their rows while it was taken and are not in it`,
    );
  progress.say(
    'Keep apart from it, and as safe: SERVICE_SECRET_KEYS (in secrets.json of the data directory under',
  );
  progress.say(
    `"secretKeys", where the platform made them)${dumped.neededKeys.length === 0 ? '.' : `; stored secrets need the key${dumped.neededKeys.length === 1 ? '' : 's'} ${dumped.neededKeys.join(', ')}.`}`,
  );
  if (objects.damaged === 0) return 0;
  progress.say(
    `NOT WHOLE: rows refer to ${objects.damaged} objects that the store has not got, or has with other bytes:`,
  );
  for (const key of damagedKeys) progress.say(`  ${key}`);
  return 1;
}

const RESERVE_TRIES = 40;
const RESERVE_EVERY_MS = 250;

/** Until the connection ends: no object of a removed row goes, no other backup and no migration runs. */
async function reserve(client: DirectConnection): Promise<void> {
  if (!(await holdOffMigrations(client)))
    throw new EngineError('The database is being migrated: run the backup again once that is done.');
  // Those who remove objects hold it for moments.
  for (let left = RESERVE_TRIES; !(await pauseRemovals(client)); left -= 1) {
    if (left === 0)
      throw new EngineError('Another backup of this installation runs: wait until it has ended.');
    await sleep(RESERVE_EVERY_MS);
  }
}

async function connect(connectionString: string): Promise<DirectConnection> {
  const client = directConnection({ connectionString, application_name: 'visionops-backup' });
  // The next statement fails and says so.
  client.on('error', () => undefined);
  await client.connect();
  await client.query(
    "set statement_timeout = 0; set idle_session_timeout = 0; set datestyle = 'ISO, YMD'; set timezone = 'UTC'",
  );
  return client;
}

export function folderOf({ command, files, dataDir }: Arguments): string {
  const [folder] = files;
  if (folder === undefined)
    throw new UsageError(`${command} needs a folder: ${hint(`${command} FOLDER`, dataDir)}`);
  return resolve(folder);
}
