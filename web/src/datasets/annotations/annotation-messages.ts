import type { Drawing } from './drawn.types';

export type IndexQuestion = { readonly id: number } & (
  | { readonly kind: 'load'; readonly files: ReadonlyArray<{ readonly path: string; readonly url: string }> }
  | { readonly kind: 'find'; readonly paths: readonly string[] }
  | { readonly kind: 'with-class'; readonly paths: readonly string[]; readonly label: string }
);

export interface IndexAnswer {
  readonly id: number;
  readonly value: ReadonlyArray<Drawing | null> | readonly boolean[] | null;
  readonly error: string | null;
}
