/** Days that rows of one partition are kept; 0 stands for no limit. */
export const RETENTION_CLASSES = [7, 30, 90, 365, 0] as const;
export type RetentionClass = (typeof RETENTION_CLASSES)[number];

/**
 * The class in which rows are stored, chosen as they are written. Reads hide what is older than the setting
 * in force; the class frees the storage.
 * @param days of the setting in force; null: no limit
 */
export const retentionClassOf = (days: number | null): RetentionClass =>
  days === null ? 0 : (RETENTION_CLASSES.find((kept) => kept >= days) ?? 0);
