import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { type DatasetKit, png } from './support/dataset-kit.js';
import { openDatasetKit, type OpenKit } from './support/open-dataset-kit.js';

describe('sample rows of tables', () => {
  let lab: OpenKit;
  let kit: DatasetKit;
  beforeAll(async () => {
    lab = await openDatasetKit();
    kit = lab.kit;
  });
  afterAll(() => lab?.close());

  const sampleOf = async (files: Record<string, Buffer>, query = '') => {
    const id = await kit.draft('Table');
    for (const [path, bytes] of Object.entries(files))
      expect((await kit.upload(id, path, bytes)).status).toBe(201);
    const answer = await kit.call('GET', `/${id}/sample${query}`);
    expect(answer.status).toBe(200);
    return answer.body;
  };

  it('are those of a CSV, with types', async () => {
    const body = await sampleOf(
      { 'readings.csv': Buffer.from('id,temp,unit\n1,20.5,C\n2,,C\n3,21,C\n') },
      '?limit=2',
    );
    expect(body).toMatchObject({
      kind: 'table',
      columns: ['id', 'temp', 'unit'],
      rows: [
        { id: 1, temp: 20.5, unit: 'C' },
        { id: 2, temp: null, unit: 'C' },
      ],
      total: 3,
      table: {
        path: 'readings.csv',
        format: 'csv',
        variables: [
          { name: 'id', dtype: 'int64', nullable: false },
          { name: 'temp' },
          { name: 'unit', dtype: 'string' },
        ],
      },
      notes: [],
    });
  });

  it('are those of JSON lines, and of a CSV in another encoding', async () => {
    expect(await sampleOf({ 'a.jsonl': Buffer.from('{"a":1}\n{"a":2}\n') })).toMatchObject({
      rows: [{ a: 1 }, { a: 2 }],
      table: { format: 'jsonl' },
    });
    expect(await sampleOf({ 'b.csv': Buffer.from('größe,n\nä,1\n', 'latin1') })).toMatchObject({
      columns: ['größe', 'n'],
      notes: ['The text was read as windows-1252.'],
    });
    expect(await sampleOf({ 'c.csv': Buffer.from('\uFEFFx,y\n1,2\n', 'utf16le') })).toMatchObject({
      rows: [{ x: 1, y: 2 }],
    });
  });

  it('are read of a Parquet file without reading the file', async () => {
    const length = 500_000;
    const bytes = Buffer.from(
      parquetWriteBuffer({
        columnData: ['a', 'b', 'c'].map((name) => ({
          name,
          data: new Float64Array(length).map(() => Math.random()),
          type: 'DOUBLE',
          encoding: 'PLAIN',
        })),
        rowGroupSize: length,
        codec: 'UNCOMPRESSED',
      }),
    );
    const body = await sampleOf({ 'big.parquet': bytes }, '?limit=200');
    expect(body).toMatchObject({ total: length, table: { format: 'parquet' } });
    expect(body.rows).toHaveLength(200);
    expect(body.table.bytes_read).toBeLessThan(bytes.length / 3);
  });

  it('come from the next table when one cannot be read, and tell why', async () => {
    const body = await sampleOf({
      'a.parquet': Buffer.from('PAR1 nothing more PAR1'),
      'b.csv': Buffer.from('n\n1\n'),
    });
    expect(body).toMatchObject({
      table: { path: 'b.csv' },
      rows: [{ n: 1 }],
      notes: [expect.stringMatching(/^a.parquet cannot be read as parquet: its footer/)],
    });
    expect(await sampleOf({ 'a.parquet': Buffer.from('PAR1 nothing more PAR1') })).toMatchObject({
      kind: 'table',
      rows: [],
      columns: [],
      total: null,
      table: null,
    });
  });

  it.each([
    ['a.csv', Buffer.from('n\n1\n')],
    [
      'a.parquet',
      Buffer.from(parquetWriteBuffer({ columnData: [{ name: 'n', data: [1, 2], type: 'INT32' }] })),
    ],
  ])('come from the next table when the bytes of %s are missing in the store', async (path, bytes) => {
    const id = await kit.draft('Missing');
    for (const [name, content] of [
      [path, bytes],
      ['b.csv', Buffer.from('n\n7\n')],
    ] as const)
      expect((await kit.upload(id, name, content)).status).toBe(201);
    const objects = await kit.query<{ key: string }>(
      'select f.object_key as key from dataset_file f join dataset d on d.id = f.dataset_id where d.key = $1 order by f.path',
      [id],
    );
    const note = `${path} cannot be read: its bytes are missing in the store; upload it again.`;
    await lab.api.container.objects.remove([objects[0]?.key as string]);
    expect(await kit.call('GET', `/${id}/sample`)).toMatchObject({
      status: 200,
      body: { table: { path: 'b.csv' }, rows: [{ n: 7 }], notes: [note] },
    });
    await lab.api.container.objects.remove([objects[1]?.key as string]);
    expect(await kit.call('GET', `/${id}/sample`)).toMatchObject({
      status: 200,
      body: { kind: 'table', table: null, rows: [], notes: [note, expect.stringContaining('b.csv')] },
    });
  });

  it('are files where the dataset holds images and does not say that it is a table', async () => {
    const files = { 'a/1.png': await png(1), 'meta.csv': Buffer.from('n\n1\n') };
    expect((await sampleOf(files)).kind).toBe('files');
    const json = {
      id: 'saystable',
      name: 'T',
      format: 'csv',
      variables: [{ name: 'n', dtype: 'int64' }],
      key_fields: [{ name: 'n' }],
      schema_version: '3',
    };
    expect((await kit.call('POST', '', { json })).status).toBe(201);
    for (const [path, bytes] of Object.entries(files)) await kit.upload('saystable', path, bytes);
    expect((await kit.call('GET', '/saystable/sample')).body).toMatchObject({
      kind: 'table',
      rows: [{ n: 1 }],
    });
    expect((await kit.call('GET', '/saystable')).body).toMatchObject({
      variables: [{ name: 'n', dtype: 'int64', nullable: true }],
      key_fields: [{ name: 'n' }],
      schema_version: '3',
    });
  });
});
