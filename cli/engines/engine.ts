import type { ProcessRef } from './process-ref.js';

/** A running engine. `stop` ends it in order and is idempotent; it works on an adopted process as well. */
export interface EngineHandle<P extends string = string> extends ProcessRef {
  readonly name: string;
  readonly ports: Readonly<Record<P, number>>;
  readonly stop: () => Promise<void>;
}

/** A missing prerequisite or a failed fetch: one line with the cause and the fix, shown without a stack. */
export class EngineError extends Error {
  override readonly name = 'EngineError';
}
