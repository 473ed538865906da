import { hasRows, isInUse } from '../../models/backup/copied-rows.sql.js';
import { statSync } from 'node:fs';
import { listTables } from '../../models/backup/stored-tables.sql.js';
import { SEARCH } from '../../models/migrations/table-policies.js';
import type { DirectConnection } from '../../models/orm/direct-connection.js';
import { appliedMigrations, hasTable, UNFINISHED_RESTORE } from '../../models/orm/migrate.js';
import type { ManagedObjectStore } from '../../adapters/minio/minio-object-store.js';
import { EngineError } from '../engines/engine.js';
import { hint } from '../terminal/hint.js';
import { objectFile } from './folder.js';

const nextStep = (dataDir: string): string =>
  `restore into an empty database and bucket: after "${hint('reset --yes', dataDir)}", or into new ones`;

/** What a migrated database has that nobody has used. */
const SEEDED: ReadonlySet<string> = new Set(['audit_epoch']);

/**
 * Leaves the database without a schema.
 * @throws EngineError when somebody uses it, or when it holds rows that no interrupted restore has left
 */
export async function clearDatabase(client: DirectConnection, dataDir: string): Promise<void> {
  if (await isInUse(client))
    throw new EngineError(
      'The database is in use: stop the API and the workers, then run the restore again.',
    );
  const tables = await listTables(client);
  const isOurs = (await appliedMigrations(client)).length > 0;
  if (tables.length > 0 && !isOurs)
    throw new EngineError(
      `The database holds tables that are not of VisionOps, such as ${tables[0]?.name}: ${nextStep(dataDir)}.`,
    );
  if (!(await hasTable(client, UNFINISHED_RESTORE)))
    for (const { name } of tables) {
      if (SEEDED.has(name)) continue;
      if (await hasRows(client, name))
        throw new EngineError(`The database is not empty, it has rows in ${name}: ${nextStep(dataDir)}.`);
    }
  // Dropping the schema drops what the administrator granted on it (docs/guide/production.md). Only these grants
  // let an owner who is no superuser give the search functions to their role.
  if (isOurs)
    await client.query(
      `drop schema public cascade; create schema public;
       grant usage on schema public to public; grant create on schema public to ${SEARCH}`,
    );
}

/** From here on until the restore has ended, whatever becomes of it, the database says that it is unfinished. */
export const beginRestore = async (client: Pick<DirectConnection, 'query'>): Promise<void> =>
  void (await client.query(`create table if not exists ${UNFINISHED_RESTORE} ()`));

export const endRestore = async (client: Pick<DirectConnection, 'query'>): Promise<void> =>
  void (await client.query(`drop table ${UNFINISHED_RESTORE}`));

/** What the provisioned store writes to see that it can. */
const PROBE_KEY = '.ready';

/**
 * Objects of this backup may be there, from a restore that was cut short.
 * @throws EngineError naming an object of something else
 */
export async function requireEmptyBucket(
  store: Pick<ManagedObjectStore, 'ensureBucket' | 'list'>,
  folder: string,
  dataDir: string,
): Promise<void> {
  await store.ensureBucket();
  for await (const { key, sizeBytes } of store.list('')) {
    const copy = statSync(objectFile(folder, key), { throwIfNoEntry: false });
    if (key !== PROBE_KEY && copy?.size !== sizeBytes)
      throw new EngineError(`The bucket is not empty, it holds ${key}: ${nextStep(dataDir)}.`);
  }
}
