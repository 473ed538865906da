import { LRUCache } from 'lru-cache';

const MAX_ENTRIES = 20_000;
/** A net below the notifications, not the way changes usually arrive. */
const MAX_AGE_MS = 60_000;

type Load<T> = () => Promise<T | null>;

/**
 * Signed-in people, holders of tokens and the tenants that global administrators visit, in memory only, by the kind of the
 * credential and the credential exactly as it was sent. Cold while the notification connection is down, because a revocation
 * could be missed then.
 */
export class SessionCache {
  private readonly loaded = new LRUCache<string, { readonly found: object | null }, Load<object>>({
    max: MAX_ENTRIES,
    ttl: MAX_AGE_MS,
    // A load that a change overtook answers those who wait for it and is not kept: its rows may be older than the change.
    ignoreFetchAbort: true,
    fetchMethod: async (_key, _stale, { options, context: load }) => {
      const found: { readonly expiresAt?: Date | null } | null = await load();
      if (found?.expiresAt)
        options.ttl = Math.max(1, Math.min(MAX_AGE_MS, found.expiresAt.getTime() - Date.now()));
      return { found };
    },
  });
  /** Of sessions, by their ids. */
  private readonly uses = new LRUCache<string, { readonly userId: string; readonly at: Date }>({
    max: MAX_ENTRIES,
  });

  constructor(private readonly isListening: () => boolean) {}

  /** What is kept for the key, or what one load for all who ask at this time finds. @param key one for each kind of thing */
  async find<T extends object>(key: string, load: Load<T>): Promise<T | null> {
    if (!this.isListening()) return load();
    const { found } = await this.loaded.forceFetch(key, { context: load });
    // What stands for nobody takes no place.
    if (found === null) this.loaded.delete(key);
    return found as T | null;
  }

  noteUse(session: { readonly sessionId: string; readonly userId: string }): void {
    this.uses.set(session.sessionId, { userId: session.userId, at: new Date() });
  }

  /** When the sessions of a person that are known here were used last. */
  usesOf(userId: string): Map<string, Date> {
    return new Map([...this.uses].flatMap(([id, use]) => (use.userId === userId ? [[id, use.at]] : [])));
  }

  /** Of everybody: a load that is under way may turn out to be of anybody. */
  drop(): void {
    this.loaded.clear();
  }
}
