import { Slots } from './slots.js';

/** A bounded number of places, of which no owner has more than a few at a time; the others of the same owner wait without taking one. */
export class SharedSlots {
  private readonly common: Slots;
  private readonly owners = new Map<string, { readonly own: Slots; users: number }>();

  constructor(
    total: number,
    private readonly each: number,
  ) {
    this.common = new Slots(total);
  }

  /** Work of the owner that runs or waits. */
  ahead(owner: string): number {
    return this.owners.get(owner)?.users ?? 0;
  }

  /** Runs `work` in a place of `owner`. @param signal ends the waiting, not the work: its reason is thrown */
  async during<T>(owner: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const entry = this.owners.get(owner) ?? { own: new Slots(this.each), users: 0 };
    this.owners.set(owner, entry);
    entry.users += 1;
    try {
      return await entry.own.during(() => this.common.during(work, 1, signal), 1, signal);
    } finally {
      entry.users -= 1;
      if (entry.users === 0) this.owners.delete(owner);
    }
  }
}
