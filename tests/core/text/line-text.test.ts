import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { firstCharacters, LINE_PATTERN, lineProblem } from '../../../core/text/line-text.js';
import { cpuMs } from '../../setup/cpu-time.js';

/** The same, or nothing at all. */
const OPTIONAL_LINE_PATTERN = LINE_PATTERN.replace(']*$)', ']+$)').replace(/\+\$$/, '*$');

describe('a text of one line', () => {
  it.each(['a', 'Größe 2', '検査 7', 'مختبر', '👩‍🔬 lab', ' padded ', "O'Neill; drop table"])(
    'may be %j',
    (text) => {
      expect(lineProblem(text)).toBeNull();
      expect(new RegExp(LINE_PATTERN, 'u').test(text)).toBe(true);
      expect(new RegExp(OPTIONAL_LINE_PATTERN).test(text)).toBe(true);
    },
  );

  it.each([
    '',
    ' ',
    '\u00a0\u2003',
    '\u200b\u200d',
    'a\nb',
    'a\r',
    'a\tb',
    '\u0000',
    'a\u007f',
    'a\u0085b',
    'a\u202eb',
    '\u2066a\u2069',
    'a\u200f',
    'a\u2028b',
    '\ud800',
    'a\udc00b',
    '\udc00\ud800',
  ])('may not be %j', (text) => {
    expect(lineProblem(text)).not.toBeNull();
    expect(new RegExp(LINE_PATTERN, 'u').test(text)).toBe(false);
    expect(new RegExp(OPTIONAL_LINE_PATTERN).test(text)).toBe(text === '');
  });

  it('is judged in a time that grows with its length alone', () => {
    const took = cpuMs(() => {
      lineProblem(`${' '.repeat(100_000)}\n`);
      lineProblem(`${'😀'.repeat(50_000)}\ud83d`);
    });
    expect(took).toBeLessThan(1000);
  });

  it.each([
    ['abc', 2, 'ab'],
    ['ab', 5, 'ab'],
    [`a${'😀'.repeat(5)}`, 3, 'a😀😀'],
    ['😀'.repeat(300), 200, '😀'.repeat(200)],
  ])('is cut between characters: %j to %d', (text, count, cut) => {
    expect(firstCharacters(text, count)).toBe(cut);
  });

  it('is described by the same pattern as it is judged by, wherever a name is given', () => {
    const { components } = JSON.parse(readFileSync('api/generated/openapi.json', 'utf8')) as {
      components: { schemas: Record<string, { pattern?: string; properties?: Record<string, unknown> }> };
    };
    // Readers see whole characters; halves are the server's own affair.
    const described = (pattern: string) =>
      pattern.replace('(?:[^', '[^').replace(String.raw`\ud800-\udfff]|[\ud800-\udbff][\udc00-\udfff])`, ']');
    expect(components.schemas.LineText?.pattern).toBe(described(LINE_PATTERN));
    expect(components.schemas.PersonName?.pattern).toBe(described(OPTIONAL_LINE_PATTERN));
    expect(components.schemas.PhoneText?.pattern).toBe(described(OPTIONAL_LINE_PATTERN));
    const names = [
      'TenantCreate',
      'TenantUpdate',
      'DatasetCreate',
      'DraftCreate',
      'DatasetUpdate',
      'AccessTokenCreate',
    ];
    for (const schema of names)
      expect([schema, JSON.stringify(components.schemas[schema]?.properties?.name)]).toEqual([
        schema,
        expect.stringContaining('LineText'),
      ]);
  });
});
