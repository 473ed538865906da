import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  checkFilePath,
  findFolderClash,
  foldersOf,
  labelOf,
} from '../../../models/datasets/files/file-path.rules.js';
import { cpuMs, NO_SQUARE_MS } from '../../setup/cpu-time.js';

describe('file paths', () => {
  it('are normalised once: a second time changes nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 80 }), (name) => {
        const { path } = checkFilePath(name);
        if (path !== null) expect(checkFilePath(path)).toEqual({ path, problem: null });
      }),
    );
  });

  it('may begin with a letter and a colon, but name no drive', () => {
    for (const name of ['a:b.png', 'C:x/y.png', 'x/C:/y.png']) expect(checkFilePath(name).path).toBe(name);
    for (const name of ['C:/x.png', 'c:', './C://x'])
      expect(checkFilePath(name).problem).toBe('the name is an absolute path');
  });

  it('never leave the dataset, whatever they are made of', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('..', '.', '', 'a', '/', '\\', 'C:', '\0', 'é', '%2e%2e'), {
          maxLength: 12,
        }),
        (parts) => {
          const { path } = checkFilePath(parts.join('/'));
          if (path === null) return;
          expect(path.split('/')).not.toContain('..');
          expect(path).not.toMatch(/^\/|\\|^[A-Za-z]:|\/\/|\/$|\0/);
        },
      ),
    );
  });

  it('have names of at most 255 bytes, as file systems do', () => {
    for (const name of ['a'.repeat(255), 'ß'.repeat(127), '世'.repeat(85), '🙂'.repeat(63)])
      expect(checkFilePath(`x/${name}/y`).problem).toBeNull();
    for (const name of ['a'.repeat(256), 'ß'.repeat(128), '世'.repeat(86), '🙂'.repeat(64)]) {
      expect(Buffer.byteLength(name)).toBeGreaterThan(255);
      expect(checkFilePath(`x/${name}/y`).problem).toMatch(/255 bytes/);
    }
  });

  it('hold nothing that turns the direction of writing or breaks the line', () => {
    for (const char of ['\u061c', '\u200e', '\u2028', '\u202e', '\u2066', '\u2069'])
      expect(checkFilePath(`a/${char}gnp.exe`).problem).toMatch(/direction/);
    expect(checkFilePath('עברית/سلام.png').problem).toBeNull();
  });

  it('join what only differs in form', () => {
    expect(checkFilePath('./a//b/./e\u0301.png').path).toBe('a/b/\u00e9.png');
  });

  it('have no part that is nothing but blanks', () => {
    for (const name of [' ', 'a/ /b.png', 'a/\u00a0', '\u3000/b.png', '\ufeff'])
      expect(checkFilePath(name).problem).toMatch(/nothing but blanks/);
    expect(checkFilePath(' a/b .png').path).toBe(' a/b .png');
  });

  it('are found when one is a folder of another', () => {
    const path = fc
      .array(fc.constantFrom('a', 'b', 'a!', 'a0', 'é', '🙂'), { minLength: 1, maxLength: 4 })
      .map((parts) => parts.join('/'));
    fc.assert(
      fc.property(fc.uniqueArray(path), (paths) => {
        const over = paths.filter((one) => paths.some((other) => other.startsWith(`${one}/`)));
        const found = findFolderClash(paths);
        expect(found === null ? over.length === 0 : over.includes(found)).toBe(true);
      }),
    );
    const deep = Array.from({ length: 100_000 }, (_, n) => `${n}/${'f/'.repeat(250)}`.slice(0, 510));
    expect(cpuMs(() => expect(findFolderClash(deep)).toBeNull())).toBeLessThan(3 * NO_SQUARE_MS);
  });

  it('tell class and folders', () => {
    expect([labelOf('cats/x/1.png'), labelOf('1.png'), foldersOf('a/b/c')]).toEqual([
      'cats',
      null,
      ['a', 'a/b'],
    ]);
  });
});
