import type { AuditFilter } from './audit-list.repository.js';

/** What the list asks of an entry. Texts are folded to lower case by the database, as its `ilike` does. */
export interface AuditFacts {
  readonly id: number;
  /** Microseconds since 1970. */
  readonly at_us: number;
  readonly tenant_id: string | null;
  readonly action: string;
  readonly actor_email: string | null;
  readonly actor_name: string | null;
  readonly target_id: string;
  readonly target_label: string | null;
}

interface Deed {
  readonly tenantId: string | null;
  readonly action: string;
  readonly actor: string;
}

/** Stands in no text of the database, so nothing is found across two of them. */
const BETWEEN = '\0';

/** `actor` and `target` folded as the texts are. */
export interface AuditSearch {
  readonly filter: AuditFilter;
  readonly actor: string | null;
  readonly target: string | null;
}

/**
 * The audit trail in memory, in the order of the list, at 24 bytes an entry: its time, its id, the number of who did
 * what in which tenant, and the number of the target's texts. A search looks at the few distinct texts first and then
 * runs over the columns, so its time does not depend on how much a filter matches.
 */
export class AuditColumns {
  length = 0;
  private at: Float64Array<ArrayBuffer>;
  private ids: Float64Array<ArrayBuffer>;
  private deedOf: Uint32Array<ArrayBuffer>;
  private targetOf: Uint32Array<ArrayBuffer>;
  private readonly deeds = new Numbered<Deed>();
  private readonly targets = new Numbered<string>();

  constructor(capacity = 1024) {
    this.at = new Float64Array(capacity);
    this.ids = new Float64Array(capacity);
    this.deedOf = new Uint32Array(capacity);
    this.targetOf = new Uint32Array(capacity);
  }

  /** Adds entries, in whatever order; only what is newer than the oldest of them is moved. */
  add(entries: readonly AuditFacts[]): void {
    const sorted = [...entries].sort((a, b) => a.at_us - b.at_us || a.id - b.id);
    const [oldest] = sorted;
    if (!oldest) return;
    const from = this.firstAt(oldest.at_us);
    const tail = {
      at: this.at.slice(from, this.length),
      ids: this.ids.slice(from, this.length),
      deeds: this.deedOf.slice(from, this.length),
      targets: this.targetOf.slice(from, this.length),
    };
    this.length = from;
    let moved = 0;
    const moveUpTo = (atUs: number, id: number) => {
      for (; moved < tail.at.length; moved += 1) {
        const [at, own] = [tail.at[moved] as number, tail.ids[moved] as number];
        if (at > atUs || (at === atUs && own > id)) return;
        this.push(at, own, tail.deeds[moved] as number, tail.targets[moved] as number);
      }
    };
    for (const entry of sorted) {
      moveUpTo(entry.at_us, entry.id);
      this.push(entry.at_us, entry.id, this.deedNumber(entry), this.targetNumber(entry));
    }
    moveUpTo(Number.POSITIVE_INFINITY, 0);
  }

  private deedNumber({ tenant_id: tenantId, action, actor_email, actor_name }: AuditFacts): number {
    const actor = `${actor_email ?? ''}${BETWEEN}${actor_name ?? ''}`;
    return this.deeds.numberOf([tenantId ?? '', action, actor].join(BETWEEN), () => ({ tenantId, action, actor }));
  }

  private targetNumber({ target_id, target_label }: AuditFacts): number {
    const text = `${target_id}${BETWEEN}${target_label ?? ''}`;
    return this.targets.numberOf(text, () => text);
  }

  /** The same without some entries, and without texts that only they had. */
  without(gone: ReadonlySet<number>): AuditColumns {
    const kept = new AuditColumns(Math.max(this.length, 1));
    const deeds = new Map<number, number>();
    const targets = new Map<number, number>();
    for (let i = 0; i < this.length; i += 1) {
      const [id, deed, target] = [this.ids[i] as number, this.deedOf[i] as number, this.targetOf[i] as number];
      if (gone.has(id)) continue;
      kept.push(this.at[i] as number, id, renumber(deeds, deed, this.deeds, kept.deeds), renumber(targets, target, this.targets, kept.targets));
    }
    return kept;
  }

  /** How many entries match, and the ids of one page of them, newest first. */
  find(search: AuditSearch, offset: number, limit: number): { total: number; ids: number[] } {
    const { since, until } = search.filter;
    const [at, deedOf, targetOf] = [this.at, this.deedOf, this.targetOf];
    const floors = this.floors(search);
    const hits = search.target === null ? null : this.hits(search.target);
    const first = since === null ? 0 : this.firstAt(since.getTime() * 1000);
    const end = until === null ? this.length : this.firstAt((until.getTime() + 1) * 1000);
    const ids: number[] = [];
    let total = 0;
    for (let i = end - 1; i >= first; i -= 1) {
      if ((at[i] as number) < (floors[deedOf[i] as number] as number) || (hits !== null && hits[targetOf[i] as number] === 0)) continue;
      if (total >= offset && ids.length < limit) ids.push(this.ids[i] as number);
      total += 1;
    }
    return { total, ids };
  }

  /** For each target whether its texts hold one. */
  private hits(text: string): Uint8Array {
    const { values } = this.targets;
    const hits = new Uint8Array(values.length);
    for (let n = 0; n < values.length; n += 1) if ((values[n] as string).includes(text)) hits[n] = 1;
    return hits;
  }

  /** For each deed the time from which on its entries match: always, never, or what its tenant keeps. */
  private floors({ filter, actor }: AuditSearch): Float64Array {
    const kept = new Map(filter.hidden.map((each) => [each.tenantId, each.before.getTime() * 1000]));
    const { values } = this.deeds;
    const floors = new Float64Array(values.length).fill(Number.POSITIVE_INFINITY);
    for (let n = 0; n < values.length; n += 1) {
      const deed = values[n] as Deed;
      const isAsked =
        (filter.tenantId === null || deed.tenantId === filter.tenantId) &&
        (filter.actionPrefix === null || deed.action.startsWith(filter.actionPrefix)) &&
        (actor === null || deed.actor.includes(actor));
      if (isAsked) floors[n] = kept.get(deed.tenantId ?? '') ?? Number.NEGATIVE_INFINITY;
    }
    return floors;
  }

  /** Index of the first entry at or after a time in microseconds. */
  private firstAt(atUs: number): number {
    let [low, high] = [0, this.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.at[middle] as number) < atUs) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private push(at: number, id: number, deed: number, target: number): void {
    if (this.length === this.at.length) this.grow();
    const place = this.length;
    this.at[place] = at;
    this.ids[place] = id;
    this.deedOf[place] = deed;
    this.targetOf[place] = target;
    this.length += 1;
  }

  private grow(): void {
    const bigger = new AuditColumns(Math.ceil(this.length * 1.25) + 1024);
    bigger.at.set(this.at);
    bigger.ids.set(this.ids);
    bigger.deedOf.set(this.deedOf);
    bigger.targetOf.set(this.targetOf);
    ({ at: this.at, ids: this.ids, deedOf: this.deedOf, targetOf: this.targetOf } = bigger);
  }
}

/** Distinct values and their numbers, from 0 on. */
class Numbered<T> {
  readonly values: T[] = [];
  readonly keys: string[] = [];
  private readonly numbers = new Map<string, number>();

  numberOf(key: string, make: () => T): number {
    const known = this.numbers.get(key);
    if (known !== undefined) return known;
    this.numbers.set(key, this.values.length);
    this.keys.push(key);
    return this.values.push(make()) - 1;
  }
}

function renumber<T>(known: Map<number, number>, old: number, from: Numbered<T>, to: Numbered<T>): number {
  const given = known.get(old) ?? to.numberOf(from.keys[old] as string, () => from.values[old] as T);
  known.set(old, given);
  return given;
}
