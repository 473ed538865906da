export interface BatchLoaderOptions<K, V> {
  /** Answers in the order of the keys. What it throws fails these keys and no others. */
  readonly load: (keys: readonly K[]) => Promise<readonly V[]>;
  /** Keys of one load at most. */
  readonly most: number;
  /** Loads at the same time at most. */
  readonly lanes: number;
}

interface Waiting<K, V> {
  readonly key: K;
  readonly resolve: (value: V) => void;
  readonly reject: (error: unknown) => void;
}

/** Loads together what is asked for in the same turn of the event loop, or while all lanes are busy. */
export class BatchLoader<K, V> {
  private readonly queue: Waiting<K, V>[] = [];
  private running = 0;

  constructor(private readonly options: BatchLoaderOptions<K, V>) {}

  /** @throws whatever the load of its batch threw */
  load(key: K): Promise<V> {
    return new Promise((resolve, reject) => {
      this.queue.push({ key, resolve, reject });
      if (this.queue.length === 1) setImmediate(() => this.serve());
    });
  }

  private serve(): void {
    while (this.queue.length > 0 && this.running < this.options.lanes)
      void this.run(this.queue.splice(0, this.options.most));
  }

  private async run(batch: readonly Waiting<K, V>[]): Promise<void> {
    this.running += 1;
    try {
      const values = await this.options.load(batch.map(({ key }) => key));
      for (const [at, { resolve }] of batch.entries()) resolve(values[at] as V);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    this.running -= 1;
    this.serve();
  }
}
