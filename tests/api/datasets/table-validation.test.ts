import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { type DatasetKit, png } from './support/dataset-kit.js';
import { openWorkingKit, type WorkingKit } from './support/open-dataset-kit.js';

describe('the validation of tables', () => {
  let lab: WorkingKit;
  let kit: DatasetKit;
  beforeAll(async () => {
    lab = await openWorkingKit();
    kit = lab.kit;
  });
  afterAll(() => lab?.close());

  const validated = async (files: Record<string, Buffer>, id: string | null = null) => {
    const dataset = id ?? (await kit.draft('Tables'));
    for (const [path, bytes] of Object.entries(files))
      expect((await kit.upload(dataset, path, bytes)).status).toBe(201);
    return kit.settled(dataset);
  };
  const parquet = Buffer.from(
    parquetWriteBuffer({ columnData: [{ name: 'n', data: [1, 2, 3], type: 'INT32', nullable: false }] }),
  );
  const rowless = Buffer.from(parquetWriteBuffer({ columnData: [{ name: 'n', data: [], type: 'INT32' }] }));
  const csv = Buffer.from('id,temp\n1,20.5\n2,\n');

  it('shows the columns of the first table and the rows of all', async () => {
    const body = await validated({ 'a.csv': csv, 'b.parquet': parquet, 'c.jsonl': Buffer.from('{"a":1}\n') });
    expect(body).toMatchObject({
      status: 'FROZEN',
      record_count: 6,
      variables: [
        { name: 'id', dtype: 'int64', nullable: false },
        { name: 'temp', dtype: 'float64', nullable: true },
      ],
    });
    const next = await kit.upload(body.id, '0.parquet', parquet);
    expect(next.status).toBe(201);
    const again = await kit.until(`/${body.id}`, (read) => read.status === 'FROZEN' && read.file_count === 4);
    expect(again).toMatchObject({
      record_count: 9,
      variables: [{ name: 'n', dtype: 'int32', nullable: false }],
    });
  });

  it('leaves what was declared, and the count of images', async () => {
    const json = {
      id: 'declared',
      name: 'Declared',
      format: 'csv',
      variables: [{ name: 'mine', dtype: 'text' }],
    };
    expect((await kit.call('POST', '', { json })).status).toBe(201);
    const body = await validated({ 'a.csv': csv, 'x/1.png': await png(1) }, 'declared');
    expect(body).toMatchObject({
      status: 'FROZEN',
      format: 'csv',
      record_count: 1,
      variables: [{ name: 'mine', dtype: 'text', nullable: true }],
    });
  });

  it('is of the format `tabular` where it holds tables alone, and of `images` again where it holds images alone', async () => {
    const draft = await kit.call('POST', '/drafts', { json: { name: 'Rows', modality: 'tabular' } });
    expect(draft.body).toMatchObject({ format: 'tabular' });
    const tables = await validated({ 'a.csv': csv });
    expect(tables).toMatchObject({ status: 'FROZEN', format: 'tabular' });
    const { items } = (await kit.call('GET', `/${tables.id}/files`)).body;
    await kit.call('DELETE', `/${tables.id}/files/${items[0].id}`);
    await kit.upload(tables.id, 'x/1.png', await png(1));
    const images = await kit.until(
      `/${tables.id}`,
      (read) => read.status === 'FROZEN' && read.manifest.files[0]?.kind === 'image',
    );
    expect(images).toMatchObject({ format: 'images' });
  });

  it('says which tables cannot be read, and why', async () => {
    const body = await validated({
      'a.parquet': Buffer.from('PAR1 nothing more PAR1'),
      'b.jsonl': Buffer.from('no json\n'),
      'c.csv': csv,
    });
    expect(body).toMatchObject({ status: 'FAILED', variables: [] });
    const messages = body.validation.errors.map(({ message }: { message: string }) => message);
    expect(messages).toEqual([
      expect.stringMatching(/^a\.parquet: it cannot be read as parquet: its footer/),
      'b.jsonl: it cannot be read as jsonl: none of its first lines is valid JSON.',
    ]);
  });

  it('warns of broken lines, and refuses a table whose quote is never closed', async () => {
    const body = await validated({
      'a.jsonl': Buffer.from('{"a":\n{"a":2}\n{"a":3}\n'),
      'b.csv': Buffer.from('a,b\n1,2\n3\n'),
    });
    expect(body).toMatchObject({ status: 'FROZEN', record_count: 4 });
    const message =
      'Tables have broken rows (2): a.jsonl: 1 line is not valid JSON, the first is line 1, b.csv: 1 row has another number of fields than the header, the first is row 2.';
    expect(body.validation.warnings).toEqual([{ code: 'broken_tables', message, file_id: null }]);
    const open = await validated({ 'a.csv': Buffer.from('a,b\n1,"unclosed\n2,3\n') });
    expect(open).toMatchObject({
      status: 'FAILED',
      validation: {
        errors: [
          {
            message:
              'a.csv: it cannot be read as csv: the quote that opens in the record at line 2 is not closed.',
          },
        ],
      },
    });
  });

  it('takes tables without a row and files that are not what their names say, and says so', async () => {
    const body = await validated({
      'a.csv': Buffer.alloc(0),
      'b/blank.jsonl': Buffer.from('\n\n'),
      'c.csv': csv,
      'd.PNG': Buffer.from('no png'),
      'd/empty.png': Buffer.alloc(0),
      'e.xml': Buffer.alloc(0),
      'g.csv': Buffer.from('a,b\n'),
      'h.parquet': rowless,
      'f.txt': Buffer.alloc(0),
      'i.json': Buffer.from('{}', 'utf16le'),
      'labels/j.txt': Buffer.from('0 0.5 0.5 0.1 0.1', 'utf16le'),
    });
    expect(body).toMatchObject({
      status: 'FROZEN',
      record_count: 2,
      variables: [{ name: 'id' }, { name: 'temp' }],
    });
    expect(body.validation.warnings).toEqual([
      {
        code: 'empty_tables',
        message: 'Tables hold no row (4): a.csv, b/blank.jsonl, g.csv, h.parquet.',
        file_id: null,
      },
      {
        code: 'misnamed_files',
        message:
          'Files are not what their names say, and are not used (5): d.PNG, d/empty.png, e.xml, i.json, labels/j.txt.',
        file_id: null,
      },
    ]);
    const { items } = (await kit.call('GET', `/${body.id}/files?kind=tabular`)).body;
    expect(items).toMatchObject([
      { path: 'a.csv', status: 'valid', reason: 'it holds no row' },
      { path: 'b/blank.jsonl', status: 'valid', reason: 'it holds no row' },
      { path: 'c.csv', status: 'valid', reason: null },
      { path: 'g.csv', status: 'valid', reason: 'it holds no row' },
      { path: 'h.parquet', status: 'valid', reason: 'it holds no row' },
    ]);
    expect(await validated({ 'only.csv': Buffer.alloc(0) })).toMatchObject({
      status: 'FROZEN',
      record_count: 0,
      variables: [],
    });
  });
});
