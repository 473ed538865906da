import { migrate as migrateDatabase } from '../../models/orm/migrate.js';
import { EngineError } from '../engines/engine.js';

/** Brings the database of an installation up to date; the quickstart does it by itself. */
export async function migrate(): Promise<number> {
  const ownerUrl = process.env.DATABASE_OWNER_URL;
  if (!ownerUrl)
    throw new EngineError(
      'DATABASE_OWNER_URL is missing: name the database as its owner, who may change the schema.',
    );
  const { applied } = await migrateDatabase({ ownerUrl, passwords: passwordsFromUrls() });
  console.log(applied.length === 0 ? 'the schema is up to date' : `applied ${applied.join(', ')}`);
  return 0;
}

/** The serving roles get the passwords of their own addresses, when all three are named. */
export function passwordsFromUrls(): { app: string; platform: string; ingest: string } | null {
  const passwordOf = (name: string): string => {
    try {
      return decodeURIComponent(new URL(process.env[name] ?? '').password);
    } catch {
      return '';
    }
  };
  const passwords = {
    app: passwordOf('DATABASE_URL'),
    platform: passwordOf('DATABASE_PLATFORM_URL'),
    ingest: passwordOf('DATABASE_INGEST_URL'),
  };
  return Object.values(passwords).every((password) => password !== '') ? passwords : null;
}
