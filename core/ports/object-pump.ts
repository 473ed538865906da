import type { Writable } from 'node:stream';

/**
 * Moves large bodies out of the store at a third of the cost of a stream: its buffers are used again, so the target must
 * be done with the bytes when it says so.
 */
export interface ObjectPump {
  /**
   * Writes the byte range `[start, end]` (inclusive) of an object to the target and leaves the target open. Errors before
   * the first byte are those of `ObjectStore.get`; later ones mean that the target holds a part only.
   * @throws AppError
   */
  pump(key: string, range: { readonly start: number; readonly end: number }, target: Writable, signal: AbortSignal): Promise<void>;
}
