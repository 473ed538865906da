import type { Drawing } from './drawn.types';

export type IndexQuestion = { readonly id: number } & (
  | { readonly kind: 'load'; readonly files: ReadonlyArray<{ readonly path: string; readonly url: string }> }
  | { readonly kind: 'find'; readonly paths: readonly string[] }
);

export interface IndexAnswer {
  readonly id: number;
  readonly value: ReadonlyArray<Drawing | null> | null;
  readonly error: string | null;
}
