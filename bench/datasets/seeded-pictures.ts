import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { ownerUrl } from '../../cli/engines/postgres.js';
import type { PlatformFacts } from '../harness/platform.js';

interface Seeded {
  readonly dataDir: string;
  readonly facts: Pick<PlatformFacts, 'database_url'>;
}

/** Rows of pictures without bytes in a frozen dataset, in a hundred classes. @returns the id of the tenant `demo` */
export async function seedPictures(
  { dataDir, facts }: Seeded,
  dataset: string,
  files: number,
): Promise<string> {
  const { database } = JSON.parse(readFileSync(join(dataDir, 'secrets.json'), 'utf8')) as {
    database: { owner: string };
  };
  const owner = new pg.Client({
    connectionString: ownerUrl(Number(new URL(facts.database_url).port), database.owner),
  });
  const app = new pg.Client({ connectionString: facts.database_url });
  await Promise.all([owner.connect(), app.connect()]);
  try {
    const { rows } = await owner
      .query<{ id: string }>("set row_security = off; select id from tenant where code = 'demo'")
      .then((answers) => (Array.isArray(answers) ? answers[1] : answers) as { rows: { id: string }[] });
    const tenantId = rows[0]?.id as string;
    await app.query(`begin; set local app.tenant = '${tenantId}'`);
    await app.query(
      `insert into dataset_file (tenant_id, dataset_id, path, sha256, size_bytes, object_key, media_type, kind, label, added_revision)
       select d.tenant_id, d.id, 'class-' || n % 100 || '/' || md5(n::text) || '.png', repeat(md5(n::text), 2), n % 100000, 't/bench/' || n, 'image/png', 'image', 'class-' || n % 100, 1
       from dataset d, generate_series(1, ${files}) as n where d.key = $1`,
      [dataset],
    );
    await app.query(
      "update dataset set file_count = $2, revision = revision + 1, status = 'FROZEN' where key = $1",
      [dataset, files],
    );
    await app.query('commit');
    await owner.query('vacuum analyze dataset_file');
    return tenantId;
  } finally {
    await Promise.all([owner.end(), app.end()]);
  }
}
