import type { CountedClasses, Finding, CountedFiles } from '../catalog/dataset.types.js';

export interface ImageStats {
  readonly images: number;
  readonly withoutClass: number;
  /** Beyond the first of each content. */
  readonly duplicates: number;
  /** In pixels; null without images that were read. */
  readonly minWidth: number | null;
  readonly maxWidth: number | null;
  readonly minHeight: number | null;
  readonly maxHeight: number | null;
}

export interface ReportFacts {
  readonly checkedAt: string;
  readonly files: number;
  readonly bytes: number;
  readonly byKind: Readonly<Record<string, number>>;
  readonly invalid: number;
  /** The first of the invalid files. */
  readonly findings: readonly Finding[];
  readonly classes: CountedClasses;
  readonly images: ImageStats;
  readonly tables: { readonly empty: CountedFiles; readonly broken: CountedFiles };
  /** Files that are not what their names say, and so are not used. */
  readonly misnamed: CountedFiles;
  /** Files by what their reading found about their format, one of FORMAT_NOTES. */
  readonly formats: ReadonlyArray<CountedFiles & { readonly reason: string }>;
  /** What the annotations and likenesses of images add. */
  readonly more: {
    readonly errors: readonly Finding[];
    readonly warnings: readonly Finding[];
    readonly stats: Readonly<Record<string, unknown>>;
  };
}
