import { inSlices } from './slices';
import type { Failure } from './upload-messages';
import type { Dropped, Found } from './upload-plan';

/** What a drop held, and what the browser could not read of it. */
export interface Read {
  readonly found: readonly Found[];
  readonly failures: readonly Failure[];
}

/** Every file of what was dropped, with its folders. @param onCount gets now and then how many were found */
export async function droppedFiles(transfer: DataTransfer, onCount: (files: number) => void): Promise<Read> {
  // Entries must be taken before the first await: the list is emptied when the event is over.
  const entries = [...transfer.items].flatMap((item) => {
    const entry = item.kind === 'file' ? item.webkitGetAsEntry() : null;
    return entry === null ? [] : [entry];
  });
  const found: Found[] = [];
  const failures: Failure[] = [];
  const read = <T>(one: FileSystemEntry, reading: Promise<T>): Promise<T | null> =>
    reading.catch((error: unknown) => {
      failures.push({ path: pathOf(one), code: 'unreadable', message: messageOf(error) });
      return null;
    });
  const take = async (file: FileSystemEntry): Promise<void> => {
    const one = await read(file, droppedFile(file));
    if (one !== null) found.push(one);
  };
  const waiting: FileSystemEntry[] = entries.reverse();
  for (let entry = waiting.pop(); entry; entry = waiting.pop()) {
    if (!entry.isDirectory) {
      await take(entry);
      continue;
    }
    const children = (await read(entry, childrenOf(entry as FileSystemDirectoryEntry))) ?? [];
    waiting.push(...children.filter((child) => child.isDirectory).reverse());
    const files = children.filter((child) => child.isFile);
    for (let at = 0; at < files.length; at += HANDFUL) {
      await Promise.all(files.slice(at, at + HANDFUL).map(take));
      onCount(found.length);
    }
  }
  return { found, failures };
}

const pathOf = ({ fullPath }: FileSystemEntry): string => fullPath.replace(/^\//, '');

/** As the browser says it, or null where it says nothing. */
const messageOf = (error: unknown): string | null =>
  error instanceof Error && error.message !== '' ? error.message : null;

/** The page stands still while the browser makes the files that it was asked for: about 0.3 ms for each. */
const HANDFUL = 100;

/** A directory gives its entries some at a time. */
async function childrenOf(directory: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = directory.createReader();
  const children: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (some.length === 0) return children;
    children.push(...some);
  }
}

const droppedFile = async (entry: FileSystemEntry): Promise<Found> => ({
  path: pathOf(entry),
  file: await new Promise((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject)),
});

/** Files of an input, where a chosen folder gives the path of each. */
export const chosenFiles = (list: FileList): Found[] =>
  [...list].map((file) => ({ path: file.webkitRelativePath || file.name, file }));

/** Their sizes, and their paths as the platform keeps them, without the page standing still. @param onCount gets now and then how many are known */
export async function weighed(found: readonly Found[], onCount: (files: number) => void): Promise<Dropped[]> {
  const dropped: Dropped[] = [];
  await inSlices(
    found,
    ({ path, file }) => dropped.push({ path: path.normalize('NFC'), file, size: file.size }),
    onCount,
  );
  return dropped;
}
