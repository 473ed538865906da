import type { KeptSession } from './upload-messages';

/** What outlives a reload: names, sizes and ids of sessions, and how far the upload was; nothing secret. */
export interface Memory {
  readonly files: number;
  readonly filesDone: number;
  readonly at: number;
  readonly sessions: readonly KeptSession[];
}

const keyOf = (tenant: string, datasetId: string): string => `visionops.upload.${tenant}.${datasetId}`;
/** The platform forgets a session that nobody touches for so long. */
const LIFE_MS = 7 * 86_400_000;

export function readMemory(tenant: string, datasetId: string): Memory | null {
  try {
    const text = localStorage.getItem(keyOf(tenant, datasetId));
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
}
