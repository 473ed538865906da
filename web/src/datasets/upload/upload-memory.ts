import { useMemo, useSyncExternalStore } from 'react';
import type { KeptSession } from './upload-messages';

/** What outlives a reload: names, sizes and ids of sessions, and how far the upload was; nothing secret. */
export interface Memory {
  readonly files: number;
  readonly filesDone: number;
  readonly at: number;
  readonly sessions: readonly KeptSession[];
  /** Whether paths began with the one folder that was dropped; null when there were several. */
  readonly isRootKept: boolean | null;
}

const keyOf = (tenant: string, datasetId: string): string => `visionops.upload.${tenant}.${datasetId}`;
/** The platform forgets a session that nobody touches for so long. */
const LIFE_MS = 7 * 86_400_000;

const listeners = new Set<() => void>();

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  // What other tabs write.
  window.addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', listener);
  };
};

export const readMemory = (tenant: string, datasetId: string): Memory | null =>
  parsed(textOf(keyOf(tenant, datasetId)));

/** As it is now, whoever writes it. */
export function useMemory(tenant: string, datasetId: string): Memory | null {
  const text = useSyncExternalStore(subscribe, () => textOf(keyOf(tenant, datasetId)));
  return useMemo(() => parsed(text), [text]);
}

function textOf(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function parsed(text: string | null): Memory | null {
  try {
    if (text === null) return null;
    const memory = JSON.parse(text) as Memory;
    return Array.isArray(memory.sessions) && Date.now() - memory.at < LIFE_MS ? memory : null;
  } catch {
    return null;
  }
}

/** @param memory null: nothing is left to go on with */
export function writeMemory(tenant: string, datasetId: string, memory: Memory | null): void {
  try {
    if (memory === null) localStorage.removeItem(keyOf(tenant, datasetId));
    else localStorage.setItem(keyOf(tenant, datasetId), JSON.stringify(memory));
  } catch {
    // A full or forbidden storage costs the resumption of a large file, not the upload.
  }
  for (const listener of listeners) listener();
}
