import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { copyIn, copyOut } from '../../../models/orm/library-patches/copy-streams.js';
import { type DirectConnection, directConnection } from '../../../models/orm/direct-connection.js';
import { type TestDatabase, testDatabase } from '../../setup/engines.js';

describe('rows copied out of and into a database', () => {
  let database: TestDatabase;
  let client: DirectConnection;
  beforeAll(async () => {
    database = await testDatabase();
    client = directConnection({ connectionString: database.ownerUrl });
    await client.connect();
    await client.query(
      'create table before (n int, bytes bytea, words text); create table after (like before)',
    );
  });
  afterAll(async () => {
    await client?.end();
    await database?.drop();
  });

  const print = async (table: string) =>
    (await client.query(`select count(*), md5(string_agg(t::text, '' order by n)) from ${table} t`)).rows;

  it('are the same afterwards, whatever they hold and however slowly they are read', async () => {
    const values = Array.from({ length: 400 }, (_, n) => [n, randomBytes(n * 97), `tab\tline\n\\N \\. ${n}`]);
    for (const row of values) await client.query('insert into before values ($1, $2, $3)', row);
    const kept: Buffer[] = [];
    for await (const chunk of copyOut(
      client,
      'copy (select * from before) to stdout',
    ) as AsyncIterable<Buffer>) {
      if (kept.push(chunk) % 50 === 0) await sleep(5);
    }
    async function* source() {
      yield* kept;
    }
    await expect(copyIn(client, 'copy after from stdin', source())).resolves.toBe(values.length);
    expect(await print('after')).toEqual(await print('before'));
  });

  it('are reported by an error that the server gives, and the connection goes on', async () => {
    const reading = (async () => {
      for await (const _ of copyOut(client, 'copy (select 1 / 0) to stdout'));
    })();
    await expect(reading).rejects.toThrow('division by zero');
    async function* wrong() {
      yield Buffer.from('no number\t\\\\x\tx\n');
    }
    await expect(copyIn(client, 'copy after from stdin', wrong())).rejects.toThrow('invalid input syntax');
    async function* broken(): AsyncGenerator<Buffer> {
      yield Buffer.from('7\t\\\\x\tx\n');
      throw new Error('the file ends');
    }
    const before = await print('after');
    await expect(copyIn(client, 'copy after from stdin', broken())).rejects.toThrow('the file ends');
    expect(await print('after')).toEqual(before);
  });
});
