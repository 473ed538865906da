import type { FileFilters } from './file-list.types.js';

/** What files are asked for: those whose path has the text in it, without regard to case, and that have these properties. */
export interface FileMatch {
  /** In NFC as paths are. Null: any path. */
  readonly text: string | null;
  readonly filters: FileFilters;
}

/** @param text as somebody wrote it */
export const fileMatch = (text: string | null, filters: FileFilters): FileMatch => ({
  text: text?.normalize('NFC') ?? null,
  filters: filters.path === undefined ? filters : { ...filters, path: filters.path.normalize('NFC') },
});

/** True for matches that names alone decide. */
export const isByName = ({ filters }: FileMatch): boolean =>
  Object.values(filters).every((value) => value === undefined);

/** True for the whole list, whose length the dataset's counter knows. */
export const isWhole = (match: FileMatch): boolean => match.text === null && isByName(match);
