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
  private readonly lists = new Map<string, ClassList>();
  private weight = 0;

  constructor(private readonly maxClasses = MAX_CLASSES_KEPT) {}

  /** @param read asked for the lists that are not there */
  async of(
    fileIds: ReadonlySet<string>,
    read: (fileIds: readonly string[]) => Promise<ReadonlyMap<string, ClassList>>,
  ): Promise<ReadonlyMap<string, ClassList>> {
    const missing = [...fileIds].filter((id) => !this.lists.has(id));
    const found = missing.length === 0 ? new Map<string, ClassList>() : await read(missing);
    const wanted = new Map<string, ClassList>();
    for (const id of fileIds) {
      const list = this.lists.get(id) ?? found.get(id) ?? new Map<number, string>();
      wanted.set(id, list);
      this.keep(id, list);
    }
    return wanted;
  }

  private keep(id: string, list: ClassList): void {
    if (!this.lists.delete(id)) this.weight += LIST_WEIGHT + list.size;
    this.lists.set(id, list);
    for (const [oldest, { size }] of this.lists) {
      if (this.weight <= this.maxClasses) return;
      this.lists.delete(oldest);
      this.weight -= LIST_WEIGHT + size;
    }
  }
}
