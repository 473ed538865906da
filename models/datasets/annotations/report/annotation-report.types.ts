import type { Split } from '../../../../formats/annotations/annotation.types.js';

/** Entries by how their matching went, with the first ones by path. */
export interface MatchCount {
  readonly match: string;
  readonly count: number;
  readonly examples: string[];
}

export interface ExactDuplicates {
  readonly groups: number;
  readonly images: number;
  /** Images of validation and test whose bytes are also those of a training image. */
  readonly leaked: number;
  readonly examples: string[][];
  readonly leakExamples: string[][];
}

/** Images of the same bytes in folders of different classes. */
export interface Contradictions {
  readonly images: number;
  /** Paths of two of them; empty where there are none. */
  readonly example: string[];
}

export interface ImageParts {
  /** All images by part of the dataset. */
  readonly bySplit: ReadonlyArray<{ readonly split: Split | null; readonly images: number }>;
  /** Those of class folders by part and class: the largest. */
  readonly byClass: ReadonlyArray<{
    readonly split: Split | null;
    readonly label: string;
    readonly images: number;
  }>;
  /** In pixels; null without images that were read. */
  readonly sizes: Readonly<
    Record<'meanWidth' | 'meanHeight' | 'medianWidth' | 'medianHeight', number | null>
  > & { readonly distinctSizes: number };
}

export interface ListedTwice {
  readonly images: number;
  /** Image, annotation file of training, annotation file of validation or test. */
  readonly examples: string[][];
}
