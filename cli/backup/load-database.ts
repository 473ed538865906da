import { createPartitionsFor, setSequence } from '../../models/backup/copied-rows.sql.js';
import { type ForeignKey, listForeignKeys, listTables } from '../../models/backup/stored-tables.sql.js';
import { copyIn } from '../../models/orm/library-patches/copy-streams.js';
import { type DirectConnection, escapeIdentifier } from '../../models/orm/direct-connection.js';
import { EngineError } from '../engines/engine.js';
import type { Report } from '../terminal/progress.js';
import { readPart } from './folder.js';
import type { Manifest, TablePart } from './manifest.js';

/**
 * Loads all rows in one transaction, into the schema that they were written with.
 * @throws EngineError when a file is another than the backup wrote, or does not fit the schema
 */
export async function loadDatabase(
  client: DirectConnection,
  folder: string,
  manifest: Manifest,
  report: Report,
): Promise<void> {
  const { tables } = manifest;
  await client.query('begin');
  // A role that row-level security holds could not load: it gets an error that says so.
  await client.query('set local row_security = off');
  await requireSameTables(client, tables);
  const names = tables.map(({ name }) => escapeIdentifier(name));
  // As a dump does: rows refer to each other across tables, and all of it is checked once they are there.
  const keys = await listForeignKeys(client);
  for (const key of keys) await client.query(`${alter(key)} drop constraint ${escapeIdentifier(key.name)}`);
  for (const name of names) await client.query(`alter table ${name} disable trigger user`);
  // What migrations wrote is in the backup.
  await client.query(`truncate ${names.join(', ')}`);
  for (const [index, table] of tables.entries()) {
    report(index / tables.length, table.name);
    await loadTable(client, folder, table);
  }
  for (const name of names) await client.query(`alter table ${name} enable trigger user`);
  for (const key of keys)
    await client.query(`${alter(key)} add constraint ${escapeIdentifier(key.name)} ${key.definition}`);
  for (const sequence of manifest.sequences)
    await setSequence(client, sequence, SEEN_OUTSIDE[sequence.name] ?? 0);
  await client.query('commit');
  await client.query('analyze');
}

const alter = ({ table }: ForeignKey): string => `alter table ${escapeIdentifier(table)}`;

async function requireSameTables(client: DirectConnection, tables: readonly TablePart[]): Promise<void> {
  const there = new Map((await listTables(client)).map(({ name, columns }) => [name, new Set(columns)]));
  for (const { name, columns } of tables) {
    const known = there.get(name);
    const strange = known === undefined ? name : columns.find((column) => !known.has(column));
    if (strange !== undefined)
      throw new EngineError(
        `The backup has ${known === undefined ? 'the table' : `in ${name} the column`} ${strange}, which the schema of its migrations does not have: it was not written by a released version.`,
      );
    there.delete(name);
  }
  const [missing] = there.keys();
  if (missing !== undefined)
    throw new EngineError(`The backup has no rows of the table ${missing}: its manifest is not whole.`);
}

async function loadTable(client: DirectConnection, folder: string, table: TablePart): Promise<void> {
  const name = escapeIdentifier(table.name);
  for (const span of table.spans) await createPartitionsFor(client, span);
  const columns = table.columns.map(escapeIdentifier).join(', ');
  const loaded = await copyIn(client, `copy ${name} (${columns}) from stdin`, readPart(folder, table.part));
  if (loaded !== table.rows)
    throw new EngineError(`${table.part.file} holds ${loaded} rows, the manifest says ${table.rows}.`);
}

/**
 * Ids that others have seen are not given again: mail servers recognise a repeat by them. What was given after
 * the backup is not known, so they go on far above.
 */
const SEEN_OUTSIDE: Readonly<Record<string, number>> = { dispatch_id_seq: 1_000_000 };
