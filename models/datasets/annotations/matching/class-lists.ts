import { LRUCache } from 'lru-cache';

/** Names of the classes of one file by their ids. */
export type ClassList = ReadonlyMap<number, string>;

/** Classes kept for the next pages, of all files together: some 20 MB. */
const MAX_CLASSES_KEPT = 200_000;
/** What a list takes beside its classes, in classes: a file of each image may have one, with a class or none. */
const LIST_WEIGHT = 10;

/**
 * The lists of classes of annotation files. Entries are read by their images, so that every page may touch every file of a
 * dataset in shards: a list that was read is kept, and those of the page before make place last.
 */
export class ClassLists {
  private readonly lists: LRUCache<string, ClassList>;

  constructor(maxClasses = MAX_CLASSES_KEPT) {
    this.lists = new LRUCache({
      maxSize: maxClasses,
      sizeCalculation: ({ size }) => LIST_WEIGHT + size,
    });
  }

  /** @param read asked for the lists that are not there */
  async of(
    fileIds: ReadonlySet<string>,
    read: (fileIds: readonly string[]) => Promise<ReadonlyMap<string, ClassList>>,
  ): Promise<ReadonlyMap<string, ClassList>> {
    const wanted = new Map<string, ClassList>();
    for (const id of fileIds) {
      const list = this.lists.get(id);
      if (list) wanted.set(id, list);
    }
    const missing = [...fileIds].filter((id) => !wanted.has(id));
    const found = missing.length === 0 ? wanted : await read(missing);
    for (const id of missing) {
      const list = found.get(id) ?? new Map<number, string>();
      wanted.set(id, list);
      this.lists.set(id, list);
    }
    return wanted;
  }
}
