import type { FileFilters } from './file-list.types.js';

/** What files are asked for: those whose path has the text in it, without regard to case, and that have these properties. */
export interface FileMatch {
  /** Null: any path. */
  readonly text: string | null;
  readonly filters: FileFilters;
}

/** True for matches that names alone decide. */
export const isByName = ({ filters }: FileMatch): boolean =>
  Object.values(filters).every((value) => value === undefined);

/** True for the whole list, whose length the dataset's counter knows. */
export const isWhole = (match: FileMatch): boolean => match.text === null && isByName(match);
