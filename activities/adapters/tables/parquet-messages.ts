import type { TableSample } from '../../../core/ports/table-reader.js';

export interface WorkerInput {
  readonly sizeBytes: number;
  readonly limit: number;
}

/** Ranges are asked for and answered one after the other, in the same order. */
export type FromWorker =
  | { readonly kind: 'read'; readonly start: number; readonly end: number }
  | { readonly kind: 'done'; readonly sample: TableSample }
  | { readonly kind: 'unreadable'; readonly reason: string };

export interface ToWorker {
  readonly bytes: Uint8Array;
}
