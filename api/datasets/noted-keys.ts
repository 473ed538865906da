import { JointRounds } from './joint-work.js';

/** Spare keys are given out for so long: what was checked when they were noted may change meanwhile. */
const FRESH_MS = 1000;
const SPARE_EACH = 4;
const MAX_SPARE = 32;

export interface KeyNotes {
  /** Makes and notes so many keys. @throws when no file may come */
  note(count: number): Promise<readonly string[]>;
  /** Nothing was or will be written under these. */
  forget(keys: readonly string[]): Promise<void>;
}

/**
 * Keys of objects about to be written. Whoever sends files one by one gets each noted by itself; where several come at
 * once, the round that notes theirs notes those of the next files too, which then wait for no transaction.
 */
export class NotedKeys {
  private readonly rounds = new JointRounds<null, string>();
  private readonly spare = new Map<string, string[]>();

  async take(place: string, notes: KeyNotes): Promise<string> {
    return this.spare.get(place)?.pop() ?? this.rounds.add(place, null, { run: (waiting) => this.note(place, waiting.length, notes) });
  }

  private async note(place: string, count: number, notes: KeyNotes): Promise<string[]> {
    const more = count > 1 ? Math.min(SPARE_EACH * count, MAX_SPARE) : 0;
    const keys = [...(await notes.note(count + more))];
    const spare = keys.splice(count);
    if (spare.length > 0) this.keep(place, spare, notes);
    return keys;
  }

  private keep(place: string, spare: string[], notes: KeyNotes): void {
    const old = this.spare.get(place) ?? [];
    this.spare.set(place, spare);
    spare.push(...old.splice(0));
    setTimeout(() => {
      if (this.spare.get(place) === spare) this.spare.delete(place);
      // What cannot be forgotten now is swept in a day.
      if (spare.length > 0) void notes.forget(spare.splice(0)).catch(() => undefined);
    }, FRESH_MS).unref();
  }
}
