import { LRUCache } from 'lru-cache';
import type { AuthChange } from '../../models/access/auth-change.js';
import { type KnownCaller, sourcesIn, sourcesOf } from './known-callers.js';

/** Some 35 MiB of devices: more than one process holds polls of. */
const MAX_ENTRIES = 20_000;
/** A net below the notifications, not the way changes usually arrive. */
const MAX_AGE_MS = 60_000;
/** Longer than a held poll lasts: otherwise each next one of a whole fleet would be loaded. */
const DEVICE_MAX_AGE_MS = 600_000;

interface Load {
  readonly found: Promise<KnownCaller | null>;
  /** What changed since the load began: whom it finds is not known before it ends. */
  readonly changed: string[];
}

/**
 * Signed-in people, holders of tokens, devices and the tenants that global administrators visit, in memory only, by the kind of the
 * credential and the credential exactly as it was sent. Cold while the notification connection is down, because a revocation
 * could be missed then.
 */
export class SessionCache {
  private readonly kept = new LRUCache<string, KnownCaller>({
    max: MAX_ENTRIES,
    ttl: MAX_AGE_MS,
    dispose: (caller, key) => this.unlist(caller, key),
  });
  /** Keys of what is kept, by what it was loaded from: a change drops what it is about, and nothing else. */
  private readonly keysBySource = new Map<string, Set<string>>();
  private readonly loads = new Map<string, Load>();
  /** Last uses of sessions, by session id. */
  private readonly uses = new LRUCache<string, { readonly userId: string; readonly at: Date }>({
    max: MAX_ENTRIES,
  });

  constructor(private readonly isListening: () => boolean) {}

  /**
   * What is kept for the key, or what one load for all who ask at this time finds.
   * @param key one for each kind of thing
   */
  async find<T extends KnownCaller>(key: string, load: () => Promise<T | null>): Promise<T | null> {
    if (!this.isListening()) return load();
    const kept = this.kept.get(key);
    if (kept) return kept as T;
    const joined = this.loads.get(key) ?? this.begin(key, load);
    const changedBefore = joined.changed.length;
    const found = await joined.found;
    // The load began before a change, and this question came after it: its rows may be older than the change.
    if (isStale(found, joined.changed.slice(0, changedBefore))) return this.find(key, load);
    return found as T | null;
  }

  /** Forgets whom the change is about; everybody where it names nobody. */
  drop(change: AuthChange): void {
    const changed = sourcesIn(change);
    if (changed.length === 0) return this.clear();
    for (const load of this.loads.values()) load.changed.push(...changed);
    for (const source of changed)
      for (const key of [...(this.keysBySource.get(source) ?? [])]) this.kept.delete(key);
  }

  /** Forgets everybody: changes may have been missed. */
  clear(): void {
    this.loads.clear();
    this.kept.clear();
  }

  recordUse(session: { readonly sessionId: string; readonly userId: string }): void {
    this.uses.set(session.sessionId, { userId: session.userId, at: new Date() });
  }

  /** When the sessions of a person that are known here were used last. */
  usesOf(userId: string): Map<string, Date> {
    return new Map([...this.uses].flatMap(([id, use]) => (use.userId === userId ? [[id, use.at]] : [])));
  }

  private begin(key: string, load: () => Promise<KnownCaller | null>): Load {
    const changed: string[] = [];
    const found = load().then(
      (caller) => {
        if (this.end(key, begun) && caller !== null && !isStale(caller, changed)) this.keep(key, caller);
        return caller;
      },
      (error: unknown) => {
        this.end(key, begun);
        throw error;
      },
    );
    const begun: Load = { found, changed };
    this.loads.set(key, begun);
    return begun;
  }

  /** @returns false where everybody was forgotten meanwhile */
  private end(key: string, load: Load): boolean {
    return this.loads.get(key) === load && this.loads.delete(key);
  }

  private keep(key: string, caller: KnownCaller): void {
    const expiresAt = 'expiresAt' in caller ? caller.expiresAt : null;
    const longest = 'deviceId' in caller ? DEVICE_MAX_AGE_MS : MAX_AGE_MS;
    const ttl = expiresAt === null ? longest : Math.min(longest, expiresAt.getTime() - Date.now());
    this.kept.set(key, caller, { ttl: Math.max(1, ttl) });
    for (const source of sourcesOf(caller)) {
      const keys = this.keysBySource.get(source) ?? new Set();
      this.keysBySource.set(source, keys.add(key));
    }
  }

  private unlist(caller: KnownCaller, key: string): void {
    for (const source of sourcesOf(caller)) {
      const keys = this.keysBySource.get(source);
      keys?.delete(key);
      if (keys?.size === 0) this.keysBySource.delete(source);
    }
  }
}

/** Who was not found may be somebody after any change. */
function isStale(found: KnownCaller | null, changed: readonly string[]): boolean {
  if (changed.length === 0) return false;
  if (found === null) return true;
  const sources = new Set(sourcesOf(found));
  return changed.some((source) => sources.has(source));
}
