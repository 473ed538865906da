import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createTableReader } from '../../../activities/adapters/tables/table-reader.js';
import { csvRecord } from '../../../core/csv/csv.js';
import { readDelimited } from '../../../core/tables/delimited.js';
import { memorySource } from './memory-source.js';

const MIB = 2 ** 20;
const reader = createTableReader();
const head = (text: string | Buffer, format: 'csv' | 'tsv' | 'jsonl' = 'csv', limit = 20) => reader.readHead(memorySource(Buffer.from(text)).source, format, limit);

describe('delimited text', () => {
  it('gives back what a writer quoted, whatever the cells hold', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', ' ', 'é', '0') }).filter((text) => !/^[=+\-@\t\r\n]/.test(text));
    fc.assert(
      fc.property(fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 6 }), (records) => {
        const text = records.map(csvRecord).join('');
        expect(readDelimited(text, ',', { records: 100, fields: 100 }, true)).toEqual({ records, end: text.length });
      }),
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
    const table = await head('id;score;ok;day;seen;code;note\n1;0.5;true;2026-01-02;2026-01-02T03:04:05Z;007;"a;b"\n2;;false;2026-01-03;2026-01-02 03:04;008;\n');
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

  it('reads only the beginning of a long file and leaves its cut line out', async () => {
    const { source, counted } = memorySource(Buffer.from(`a,b\n${'1,"two, three"\n'.repeat(1_500_000)}`));
    const table = await reader.readHead(source, 'csv', 20);
    expect(table.rows).toHaveLength(20);
    expect(table.totalRows).toBeNull();
    expect(counted.bytes).toBeLessThanOrEqual(256 * 1024);
  });

  it('refuses one line without an end, having read 4 MiB of it', async () => {
    const { source, counted } = memorySource(Buffer.alloc(40 * MIB, 'x'));
    await expect(reader.readHead(source, 'csv', 20)).rejects.toThrow('its first row is longer than 4194304 bytes');
    expect(counted.bytes).toBe(4 * MIB);
    const quoted = memorySource(Buffer.concat([Buffer.from('a,b\n1,"'), Buffer.alloc(20 * MIB, '"x')]));
    expect((await reader.readHead(quoted.source, 'csv', 20)).rows).toEqual([]);
  });

  it('keeps names apart, cuts long cells and shows NUL as what it is', async () => {
    const table = await head(`a,a,,__proto__\n${'x'.repeat(5000)},b\0c,3,4\n5,6\n`);
    expect(table.columns.map(({ name }) => name)).toEqual(['a', 'a_2', 'column_3', '__proto__']);
    expect(table.rows[0]).toEqual([`${'x'.repeat(1000)}…`, 'b\uFFFDc', 3, 4]);
    expect(table.rows[1]).toEqual(['5', '6', null, null]);
    expect(table.notes.join(' ')).toMatch(/NUL.*1 of the rows.*1 cells/);
  });

  it('shows the first 500 of many columns, and fewer rows when they are long', async () => {
    const row = Array.from({ length: 510 }, () => 'y'.repeat(30)).join(',');
    const table = await head(`${row}\n${`${row}\n`.repeat(200)}`, 'csv', 200);
    expect(table.columns).toHaveLength(500);
    expect(JSON.stringify(table.rows).length).toBeLessThan(2.2 * MIB);
    expect(table.notes.join(' ')).toMatch(/first 500 columns.*fewer than asked for/);
  });

  it('says that an empty file holds no row', async () => {
    await expect(head('')).rejects.toThrow('it holds no row');
    await expect(head('\n\n')).rejects.toThrow('it holds no row');
  });
});

describe('the head of JSON lines', () => {
  it('makes columns of keys, and leaves out lines that are no JSON', async () => {
    const table = await head('{"a":1,"b":"x"}\n\n{"a":2.5,"c":[1,2],"__proto__":7}\nnot json\n"text"\n', 'jsonl');
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
    expect(table).toMatchObject({ totalRows: 4, notes: ['1 of the first lines are not valid JSON and are left out.'] });
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
    await expect(head(`{"a":"${'x'.repeat(40 * MIB)}"}\n`, 'jsonl')).rejects.toThrow('its first row is longer');
    await expect(head('a\nb\n', 'jsonl')).rejects.toThrow('none of its first lines is valid JSON');
  });
});
