import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createTableReader } from '../../../adapters/hyparquet/table-reader.js';
import { csvRecord } from '../../../formats/tables/csv-writer.js';
import { typeOfTexts } from '../../../formats/tables/column-types.js';
import { readDelimited } from '../../../formats/tables/delimited.js';
import { ASKER, memorySource } from '../../fakes/memory-source.js';
import { cpuMs, NO_SQUARE_MS } from '../../setup/cpu-time.js';

const MIB = 2 ** 20;
const reader = createTableReader();
const head = (text: string | Buffer, format: 'csv' | 'tsv' | 'jsonl' = 'csv', limit = 20) =>
  reader.readHead(memorySource(Buffer.from(text)).source, format, limit, ASKER);

describe('delimited text', () => {
  it('gives back what a writer quoted, whatever the cells hold', () => {
    const cell = fc
      .string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', ' ', 'é', '0') })
      .filter((text) => !/^[=+\-@\t\r\n]/.test(text));
    fc.assert(
      fc.property(
        fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 6 }),
        (records) => {
          const text = records.map(csvRecord).join('');
          expect(readDelimited(text, ',', { records: 100, fields: 100 }, true)).toEqual({
            records,
            end: text.length,
          });
        },
      ),
    );
  });

  it('never takes a record that was cut for a whole one', () => {
    const text = 'id,note\r\n1,"a ""quoted""\r\nline"\r\n2,plain\r\n';
    const whole = readDelimited(text, ',', { records: 100, fields: 100 }, true).records;
    for (let end = 0; end < text.length; end += 1) {
      const cut = readDelimited(text.slice(0, end), ',', { records: 100, fields: 100 }, false).records;
      expect(cut).toEqual(whole.slice(0, cut.length));
    }
  });
});

describe('the head of a CSV', () => {
  it('names, types and counts what it shows', async () => {
    const table = await head(
      'id;score;ok;day;seen;code;note\n1;0.5;true;2026-01-02;2026-01-02T03:04:05Z;007;"a;b"\n2;;false;2026-01-03;2026-01-02 03:04;008;\n',
    );
    expect(table.columns).toEqual([
      { name: 'id', dtype: 'int64', nullable: false },
      { name: 'score', dtype: 'float64', nullable: true },
      { name: 'ok', dtype: 'bool', nullable: false },
      { name: 'day', dtype: 'date', nullable: false },
      { name: 'seen', dtype: 'timestamp', nullable: false },
      { name: 'code', dtype: 'string', nullable: false },
      { name: 'note', dtype: 'string', nullable: true },
    ]);
    expect(table.rows).toEqual([
      [1, 0.5, true, '2026-01-02', '2026-01-02T03:04:05Z', '007', 'a;b'],
      [2, null, false, '2026-01-03', '2026-01-02 03:04', '008', null],
    ]);
    expect(table).toMatchObject({ totalRows: 2, notes: [] });
  });

  it.each<[string, Buffer]>([
    ['UTF-8 with a mark', Buffer.from('\uFEFFname,n\nGrüße,1\n')],
    ['UTF-16', Buffer.from('\uFEFFname,n\nGrüße,1\n', 'utf16le')],
    ['Windows-1252', Buffer.from('name,n\nGrüße,1\n', 'latin1')],
  ])('reads %s', async (_what, bytes) => {
    const table = await head(bytes);
    expect(table.columns.map(({ name }) => name)).toEqual(['name', 'n']);
    expect(table.rows).toEqual([['Grüße', 1]]);
  });

  it.each([';', '|', '\t', ','])('takes the delimiter that Excel writes before it: %j', async (sign) => {
    const text = `sep=${sign}\r\nname,x${sign}n\r\n"a,b"${sign}1\r\n`;
    const table = await head(sign === ',' ? text.replace('name,x', 'name') : text);
    expect(table.columns.map(({ name }) => name)).toEqual([sign === ',' ? 'name' : 'name,x', 'n']);
    expect(table).toMatchObject({ rows: [['a,b', 1]], totalRows: 1, broken: null });
  });

  it('counts the line that states the delimiter, and takes no other first line for one', async () => {
    await expect(head('sep=;\na;b\n1;"x\n')).rejects.toThrow('in the record at line 3 is not closed');
    expect((await head('\uFEFFsep=;\na;b\n')).columns.map(({ name }) => name)).toEqual(['a', 'b']);
    expect((await head('sep=;x\n1;2\n')).columns.map(({ name }) => name)).toEqual(['sep=', 'x']);
    expect((await head('sep=;\t2\na\tb\n', 'tsv')).columns.map(({ name }) => name)).toEqual(['sep=;', '2']);
    await expect(head('sep=;\n')).rejects.toThrow('it holds no row');
  });

  it.each(['a;b', 'a|b', 'a;b\n1;2'])('needs no line end to tell its delimiter: %j', async (text) => {
    expect((await head(text)).columns.map(({ name }) => name)).toEqual(['a', 'b']);
  });

  it('reads only the beginning of a long file and leaves its cut line out', async () => {
    const { source, counted } = memorySource(Buffer.from(`a,b\n${'1,"two, three"\n'.repeat(1_500_000)}`));
    const table = await reader.readHead(source, 'csv', 20, ASKER);
    expect(table.rows).toHaveLength(20);
    expect(table.totalRows).toBeNull();
    expect(counted.bytes).toBeLessThanOrEqual(256 * 1024);
  });

  it('refuses one line without an end, having read 4 MiB of it', async () => {
    const { source, counted } = memorySource(Buffer.alloc(40 * MIB, 'x'));
    await expect(reader.readHead(source, 'csv', 20, ASKER)).rejects.toThrow(
      'its first row is longer than 4194304 bytes',
    );
    expect(counted.bytes).toBe(4 * MIB);
    const quoted = memorySource(Buffer.concat([Buffer.from('a,b\n1,"'), Buffer.alloc(20 * MIB, '"x')]));
    expect(await reader.readHead(quoted.source, 'csv', 20, ASKER)).toMatchObject({
      rows: [],
      notes: ['Only the first 4194304 bytes are read: fewer rows than asked for are shown.'],
    });
  });

  it('keeps names apart, cuts long cells and shows NUL as what it is', async () => {
    const table = await head(`a,a,,__proto__\n${'x'.repeat(5000)},b\0c,3,4\n5,6\n`);
    expect(table.columns.map(({ name }) => name)).toEqual(['a', 'a_2', 'column_3', '__proto__']);
    expect(table.rows[0]).toEqual([`${'x'.repeat(1000)}…`, 'b\uFFFDc', 3, 4]);
    expect(table.rows[1]).toEqual(['5', '6', null, null]);
    expect(table.notes.join(' ')).toMatch(/NUL.*1 of the rows.*1 cells/);
  });

  it('has names that can be kept, whatever its JSON calls them', async () => {
    const table = await head('{"a\\u0000b":1,"a\\ud800b":2,"\\u0000":3}\n', 'jsonl');
    expect(table.columns.map(({ name }) => name)).toEqual(['a\uFFFDb', 'a\uFFFDb_2', '\uFFFD']);
    expect(table.rows).toEqual([[1, 2, 3]]);
  });

  it('shows the first 500 of many columns, and fewer rows when they are long', async () => {
    const row = Array.from({ length: 510 }, () => 'y'.repeat(30)).join(',');
    const table = await head(`${row}\n${`${row}\n`.repeat(200)}`, 'csv', 200);
    expect(table.columns).toHaveLength(500);
    expect(JSON.stringify(table.rows).length).toBeLessThan(2.2 * MIB);
    expect(table.notes.join(' ')).toMatch(/first 500 columns.*fewer than asked for/);
  });

  it('types cells in no more time than it takes to read them', () => {
    const text = `${'1'.repeat(1_000_000)}x`;
    expect(cpuMs(() => expect(typeOfTexts([text]).dtype).toBe('string'))).toBeLessThan(NO_SQUARE_MS);
    expect(typeOfTexts(['1.', '.5', '-1.5e-3', 'nan']).dtype).toBe('float64');
  });

  it('keeps integers that no double holds, also among other numbers', async () => {
    const table = await head(
      'a,b,c,d\n9007199254740993,9007199254740993,123456789012345678901234567890,9223372036854775808\n1.5,-3,7,1\n',
    );
    expect(table.columns.map(({ dtype }) => dtype)).toEqual(['float64', 'int64', 'float64', 'float64']);
    expect(table.rows).toEqual([
      ['9007199254740993', '9007199254740993', '123456789012345678901234567890', '9223372036854775808'],
      [1.5, -3, 7, 1],
    ]);
    expect(typeOfTexts(['-9223372036854775808', '+9223372036854775807']).dtype).toBe('int64');
  });

  it('is refused where a quote is open to its end, and says which rows have other fields', async () => {
    await expect(head('a,b\n1,"unclosed\n2,3\n')).rejects.toThrow(
      'the quote that opens in the record at line 2 is not closed',
    );
    expect(await head('a,b\n1,"fine\n2"\n\n3\n4,5,6\n')).toMatchObject({
      totalRows: 3,
      broken: '2 rows have another number of fields than the header, the first is row 2',
    });
    expect(await head('a,b\n1,2\n')).toMatchObject({ broken: null });
    const long = await head(`a,b\n1,"${'x\n'.repeat(3 * MIB)}`);
    expect(long).toMatchObject({
      rows: [],
      broken: 'the quote that opens in the record at line 2 is not closed',
    });
  });

  it('takes a record for sound that the end of what is read cuts within quotes', async () => {
    const row = `1,"${'x'.repeat(100_000)}\n"\n`;
    expect(await head(`a,b\n${row.repeat(60)}`, 'csv', 100)).toMatchObject({
      broken: null,
      notes: expect.arrayContaining([expect.stringMatching(/^Only the first 4194304 bytes/)]),
    });
  });

  it('says that an empty file holds no row', async () => {
    await expect(head('')).rejects.toThrow('it holds no row');
    await expect(head('\n\n')).rejects.toThrow('it holds no row');
  });
});

describe('the head of JSON lines', () => {
  it('makes columns of keys, and leaves out lines that are no JSON', async () => {
    const table = await head(
      '{"a":1,"b":"x"}\n\n{"a":2.5,"c":[1,2],"__proto__":7}\nnot json\n"text"\n',
      'jsonl',
    );
    expect(table.columns.map(({ name, dtype }) => [name, dtype])).toEqual([
      ['a', 'float64'],
      ['b', 'string'],
      ['c', 'json'],
      ['__proto__', 'int64'],
      ['value', 'string'],
    ]);
    expect(table.rows).toEqual([
      [1, 'x', null, null, null],
      [2.5, null, [1, 2], 7, null],
      [null, null, null, null, 'text'],
    ]);
    expect(table).toMatchObject({
      totalRows: 3,
      broken: '1 line is not valid JSON, the first is line 4',
      notes: ['1 of the first lines are not valid JSON and are left out.'],
    });
  });

  it('keeps integers that no double holds, as texts', async () => {
    const table = await head(
      '{"id":9007199254740993,"n":{"m":[-12345678901234567890]},"x":1234567890123456789.5,"big":1e300}\n{"id":7,"n":null,"x":1,"big":2}\n',
      'jsonl',
    );
    expect(table.columns.map(({ name, dtype }) => [name, dtype])).toEqual([
      ['id', 'int64'],
      ['n', 'json'],
      ['x', 'float64'],
      ['big', 'float64'],
    ]);
    expect(table.rows[0]).toEqual([
      '9007199254740993',
      { m: ['-12345678901234567890'] },
      1234567890123456800,
      1e300,
    ]);
    const deep = `${'['.repeat(100_000)}9007199254740993${']'.repeat(100_000)}`;
    expect((await head(`{"v":${deep}}\n`, 'jsonl')).rows).toHaveLength(1);
  });

  it('types integers that no int64 holds as float64, and says where integers may be rounded', async () => {
    const huge = `1${'0'.repeat(60)}1`;
    const table = await head(
      `{"a":9007199254740993,"b":1e400,"c":123456789012345678901234567890,"d":${huge}}\n`,
      'jsonl',
    );
    expect(table.columns.map(({ dtype }) => dtype)).toEqual(['int64', 'float64', 'float64', 'float64']);
    expect(table.rows).toEqual([['9007199254740993', 'Infinity', '123456789012345678901234567890', huge]]);
    expect(table.notes).toEqual([]);
    const long = (fill: string) => `{"id":9007199254740993,"t":"${fill.repeat(100_000)}"}\n`.repeat(4);
    expect((await head(long('x'), 'jsonl')).notes[0]).toMatch(/^Integers beyond 2\^53 may be rounded/);
    // Digits of fractions are no large integers and take nothing from what is read exactly.
    const fractions = `{"v":[${'0.1234567890123456789,'.repeat(15_000)}1]}\n{"id":9007199254740993}\n`;
    expect((await head(fractions, 'jsonl')).rows[1]).toEqual([null, '9007199254740993']);
  });

  it('counts broken lines of a small file to its end, with the place of the first', async () => {
    expect(await head('{"a":1}\n{"a":\n{"a":3}\n', 'jsonl')).toMatchObject({
      totalRows: 2,
      broken: '1 line is not valid JSON, the first is line 2',
    });
    const late = await head(`${'{"a":1}\n\n'.repeat(50)}{"a":\n{"b"\n`, 'jsonl', 5);
    expect(late).toMatchObject({
      totalRows: 50,
      broken: '2 lines are not valid JSON, the first is line 101',
    });
    expect(late.rows).toHaveLength(5);
    expect(await head('{"a":1}\n', 'jsonl')).toMatchObject({ broken: null });
  });

  it('says where long lines leave rows out', async () => {
    const line = `{"a":"${'x'.repeat(3 * MIB)}"}\n`;
    expect(await head(line.repeat(3), 'jsonl')).toMatchObject({
      rows: [[expect.any(String)]],
      notes: [expect.stringMatching(/^Only the first 4194304 bytes/), expect.anything()],
    });
    expect((await head('{"a":1}\n', 'jsonl')).notes).toEqual([]);
  });

  it('bounds deep and long values', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const long = JSON.stringify({ v: Array.from({ length: 10_000 }, (_, n) => n), t: '🙂'.repeat(4000) });
    const table = await head(`{"v":${deep}}\n${long}\n{"v":1e999,"t":"\\ud800"}\n`, 'jsonl');
    expect(JSON.stringify(table.rows).length).toBeLessThan(20_000);
    expect(table.rows[2]).toEqual(['Infinity', '\uFFFD']);
    expect(table.notes[0]).toMatch(/3 cells are shown in part/);
  });

  it('refuses a line of 40 MiB and a file without JSON', async () => {
    await expect(head(`{"a":"${'x'.repeat(40 * MIB)}"}\n`, 'jsonl')).rejects.toThrow(
      'its first row is longer',
    );
    await expect(head('a\nb\n', 'jsonl')).rejects.toThrow('none of its first lines is valid JSON');
  });
});
