import { migrate as migrateDatabase } from '../../models/orm/migrate.js';
import { EngineError } from '../engines/engine.js';

/** Brings the database of an installation up to date; the quickstart does it by itself. */
export async function migrate(): Promise<number> {
  const ownerUrl = process.env.DATABASE_OWNER_URL;
  if (!ownerUrl)
    throw new EngineError(
      'DATABASE_OWNER_URL is missing: name the database as its owner, who may change the schema.',
    );
  const { later } = await migrateDatabase({
    ownerUrl,
    passwords: passwordsFromUrls(),
    report: {
      applied: (name, place, of, ms) =>
        console.log(`applied ${name} (${place} of ${of}, ${(ms / 1000).toFixed(1)} s)`),
      waits: (text) => console.log(`waiting: ${text}`),
    },
  });
  console.log('the schema is up to date');
  if (later.length > 0)
    console.log(`a later release has added ${later.join(', ')}: this version runs on that schema too`);
  return 0;
}

/** The serving roles get the passwords of their own addresses, when all of them are named. */
export function passwordsFromUrls(): { app: string; platform: string; auth: string; ingest: string } | null {
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
    auth: passwordOf('DATABASE_AUTH_URL'),
    ingest: passwordOf('DATABASE_INGEST_URL'),
  };
  return Object.values(passwords).every((password) => password !== '') ? passwords : null;
}
