import { copyTable, countRows, readMoment, timeSpans } from '../../models/backup/copied-rows.sql.js';
import {
  listTables,
  readSequences,
  type StoredSequence,
  type StoredTable,
} from '../../models/backup/stored-tables.sql.js';
import { OBJECTS_OF_ROWS } from '../../models/backup/object-references.sql.js';
import { neededKeyIds } from '../../models/backup/needed-keys.sql.js';
import { copyOut } from '../../models/orm/library-patches/copy-streams.js';
import type { DirectConnection } from '../../models/orm/direct-connection.js';
import { appliedMigrations, hasTable, UNFINISHED_RESTORE } from '../../models/orm/migrate.js';
import { EngineError } from '../engines/engine.js';
import type { Report } from '../terminal/progress.js';
import { backupFiles, requireRoom, tableFile, writeFileWhole, writePart } from './folder.js';
import type { TablePart } from './manifest.js';

export interface DumpedDatabase {
  readonly takenAt: string;
  readonly migrations: readonly string[];
  readonly tables: readonly TablePart[];
  readonly sequences: readonly StoredSequence[];
  readonly neededKeys: readonly string[];
}

/**
 * Writes the rows of all tables as one moment had them, and the list of the objects that they refer to. The
 * transaction ends with this: no object is copied while it is open.
 */
export async function dumpDatabase(
  client: DirectConnection,
  folder: string,
  report: Report,
): Promise<DumpedDatabase> {
  await client.query('begin isolation level repeatable read read only');
  // A role that row-level security holds would see no rows: it gets an error instead.
  await client.query('set local row_security = off');
  const migrations = await appliedMigrations(client);
  if (migrations.length === 0)
    throw new EngineError('The database holds no schema of VisionOps: there is nothing to back up.');
  if (await hasTable(client, UNFINISHED_RESTORE))
    throw new EngineError(
      'A restore into this database was cut short: run the restore again before you back it up.',
    );
  const { takenAt, sizeBytes } = await readMoment(client);
  // Text without indexes, compressed: less than half of what the database takes.
  requireRoom(folder, sizeBytes / 2);
  const tables = await dumpTables(client, folder, await listTables(client), report);
  await writeFileWhole(backupFiles(folder).list, copyOut(client, `copy (${OBJECTS_OF_ROWS}) to stdout`));
  const neededKeys = await neededKeyIds(client);
  const sequences = await readSequences(client);
  await client.query('commit');
  return { takenAt, migrations, tables, sequences, neededKeys };
}

async function dumpTables(
  client: DirectConnection,
  folder: string,
  tables: readonly StoredTable[],
  report: Report,
): Promise<TablePart[]> {
  const done: TablePart[] = [];
  for (const [index, table] of tables.entries()) {
    report(index / tables.length, table.name);
    done.push(await dumpTable(client, folder, table));
  }
  return done;
}

async function dumpTable(client: DirectConnection, folder: string, table: StoredTable): Promise<TablePart> {
  const { name, columns } = table;
  const rows = await countRows(client, table);
  const spans = await timeSpans(client, table.timeParents);
  const part = await writePart(folder, tableFile(name), copyOut(client, copyTable(table)));
  return { name, columns: columns as [string, ...string[]], rows, spans, part };
}
