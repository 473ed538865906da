import { describe, expect, it } from '@jest/globals';
import { type FoundTable, inOrder } from '../../../models/tenants/erased-tables.rules.js';

const table = (name: string, ...references: Array<[parent: string, isOptional?: boolean]>): FoundTable => ({
  name,
  isIndexed: true,
  isPartitioned: false,
  pages: 1,
  references: references.map(([parent, isOptional = false]) => ({
    parent,
    columns: [`${parent}_id`],
    isOptional,
  })),
});
const names = (...tables: FoundTable[]): string[] => inOrder(tables).map(({ name }) => name);

describe('the order in which tables are emptied', () => {
  it('puts rows before what they refer to, and what refers to nothing last', () => {
    expect(
      names(
        table('audit'),
        table('dataset'),
        table('file', ['dataset']),
        table('chunk', ['file'], ['dataset']),
      ),
    ).toEqual(['chunk', 'file', 'dataset', 'audit']);
  });

  it('opens a circle at its optional references and says which columns are to be emptied first', () => {
    const ordered = inOrder([
      table('dataset', ['sync', true]),
      table('sync', ['dataset']),
      table('row', ['sync']),
    ]);
    expect(ordered.map(({ name, unlink }) => [name, unlink])).toEqual([
      ['row', []],
      ['sync', []],
      ['dataset', ['sync_id']],
    ]);
  });

  it('refuses a circle that nothing opens', () => {
    expect(() => names(table('a', ['b']), table('b', ['a']))).toThrow('a, b');
  });
});
