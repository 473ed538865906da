import { describe, expect, it } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { csvRecord } from '../../../formats/tables/csv-writer.js';

describe('CSV records', () => {
  it('are read back by a parser as what was written, formulas defused', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme', minLength: 1 }), { minLength: 2, maxLength: 5 }),
        (cells) => {
          const [read] = parse(csvRecord(cells), { record_delimiter: '\r\n' }) as string[][];
          expect(read).toEqual(cells.map((cell) => (/^[=+\-@\t\r\n]/.test(cell) ? `'${cell}` : cell)));
        },
      ),
    );
  });

  it('start no cell with what a spreadsheet runs', () => {
    for (const cell of ['=1+1', '+1', '-1', '@x', '\t=1', '\r=1', '\n=1'])
      expect(csvRecord([cell])).toMatch(/^"?'/);
  });

  it('end with CRLF, quote what needs it and leave null empty', () => {
    expect(csvRecord(['a', null, 3, 'x"y', 'p,q', true])).toBe('a,,3,"x""y","p,q",true\r\n');
  });
});
