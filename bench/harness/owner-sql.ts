import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { ownerUrl } from '../../cli/engines/postgres.js';
import type { PlatformFacts } from './platform.js';

/** Runs `work` over one connection as the owner of the platform's database, whom no policy holds back. */
export async function asOwner<T>(
  facts: PlatformFacts,
  dataDir: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const { database } = JSON.parse(readFileSync(join(dataDir, 'secrets.json'), 'utf8')) as {
    database: { owner: string };
  };
  const client = new pg.Client({
    connectionString: ownerUrl(Number(new URL(facts.database_url).port), database.owner),
  });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
