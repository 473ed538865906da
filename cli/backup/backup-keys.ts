import { type KeyRing, keyFingerprint } from '../../core/security/key-ring.js';
import { EngineError } from '../engines/engine.js';
import type { Manifest } from './manifest.js';

type BackupKeys = Manifest['keys'];

/** What a backup says of the keys, which are not in it. @param ring null when it is not at hand */
export function describeKeys(needed: readonly string[], ring: KeyRing | null): BackupKeys {
  if (ring === null) return { needed: [...needed], known: null };
  return {
    needed: [...needed],
    known: ring.keys.map(({ id }) => id),
    fingerprints: Object.fromEntries(ring.keys.map(({ id, secret }) => [id, keyFingerprint(secret)])),
  };
}

/** @throws EngineError naming the keys that are not at hand, or are others than those of the backup */
export function requireKeys(ring: KeyRing | null, backup: BackupKeys): KeyRing {
  const { needed, known, fingerprints = {} } = backup;
  const ids = new Set(ring?.keys.map(({ id }) => id));
  const missing = [...new Set([...needed, ...(known ?? [])])].filter((id) => !ids.has(id));
  if (ring === null || missing.length > 0)
    throw new EngineError(
      `SERVICE_SECRET_KEYS ${ring === null ? 'is missing' : `lacks the ${named(missing)}`}: ${WHICH}.`,
    );
  const others = ring.keys
    .filter(({ id, secret }) => (fingerprints[id] ?? keyFingerprint(secret)) !== keyFingerprint(secret))
    .map(({ id }) => id);
  if (others.length > 0)
    throw new EngineError(
      `SERVICE_SECRET_KEYS holds, as ${named(others)}, other bytes than when the backup was taken: ${WHICH}. If the backup was taken with the wrong ones at hand, remove "fingerprints" from its manifest.json.`,
    );
  return ring;
}

const WHICH =
  'give the keys of the installation that was backed up (in secrets.json of its data directory under "secretKeys", where the platform made them)';

const named = (ids: readonly string[]): string => `key${ids.length === 1 ? '' : 's'} ${ids.join(', ')}`;
