import type { TableSample } from '../../core/ports/table-reader.js';

export interface WorkerInput {
  readonly sizeBytes: number;
  readonly limit: number;
}

/** Several ranges may be asked for before the first is answered. */
export type FromWorker =
  | { readonly kind: 'read'; readonly id: number; readonly start: number; readonly end: number }
  | { readonly kind: 'done'; readonly sample: TableSample }
  | { readonly kind: 'unreadable'; readonly reason: string };

export interface ToWorker {
  /** Id of the question. */
  readonly id: number;
  readonly bytes: Uint8Array;
}
