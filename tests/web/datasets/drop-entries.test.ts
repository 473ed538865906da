import { expect, it } from '@jest/globals';
import { droppedFiles, weighed } from '../../../web/src/datasets/upload/drop-entries.js';

type Give = (take: (given: unknown) => void, refuse: (error: Error) => void) => void;

const file = (fullPath: string, give: Give = (take) => take(new Blob())) => ({
  fullPath,
  isFile: true,
  isDirectory: false,
  file: give,
});

const folder = (fullPath: string, children: readonly unknown[], give?: Give) => {
  const answers = [children, []];
  const readEntries: Give = give ?? ((take) => take(answers.shift()));
  return { fullPath, isFile: false, isDirectory: true, createReader: () => ({ readEntries }) };
};

const transferOf = (...entries: readonly unknown[]) =>
  ({
    items: entries.map((entry) => ({ kind: 'file', webkitGetAsEntry: () => entry })),
  }) as unknown as DataTransfer;

const refusing: Give = (_, refuse) => refuse(new Error('It went away.'));

it('reads folders and files with their paths', async () => {
  const transfer = transferOf(folder('/set', [file('/set/a.png'), folder('/set/b', [file('/set/b/c.png')])]));
  const { found, failures } = await droppedFiles(transfer, () => {});
  expect(found.map(({ path }) => path)).toEqual(['set/a.png', 'set/b/c.png']);
  expect(failures).toEqual([]);
});

it('goes on past what cannot be read, and names it', async () => {
  const { found, failures } = await droppedFiles(
    transferOf(
      folder('/set', [file('/set/gone.png', refusing), file('/set/there.png')]),
      folder('/locked', [], refusing),
      file('/alone.png'),
    ),
    () => {},
  );
  expect(found.map(({ path }) => path)).toEqual(['set/there.png', 'alone.png']);
  expect(failures).toEqual([
    { path: 'set/gone.png', code: 'unreadable', message: 'It went away.' },
    { path: 'locked', code: 'unreadable', message: 'It went away.' },
  ]);
});

it('names files as the platform keeps them, whatever form of Unicode a disk has', async () => {
  const found = [{ path: 'Bl\u0075\u0308ten/a.png', file: new File(['x'], 'a.png') }];
  const dropped = await weighed(found, () => {});
  expect(dropped.map(({ path, size }) => [path, size])).toEqual([['Bl\u00fcten/a.png', 1]]);
});
