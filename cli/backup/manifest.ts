import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { EngineError } from '../engines/engine.js';
import { backupFiles, type Part } from './folder.js';

/** Raised when an older restore could not read a newer backup. */
export const BACKUP_FORMAT = 2;
/** Whose tables have one span of times each, of the table itself. */
const FIRST_FORMAT = 1;

const partSchema: z.ZodType<Part> = z.object({
  file: z.string().regex(/^[a-z0-9_./]+$/),
  sizeBytes: z.number().int().nonnegative(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

const timesSchema = z.object({ from: z.string(), to: z.string() });

const tableSchema = z
  .object({
    name: z.string(),
    columns: z.array(z.string()).nonempty(),
    rows: z.number().int().nonnegative(),
    /** First and last time of each table partitioned by time that it consists of, where there are rows. */
    spans: z.array(timesSchema.extend({ table: z.string() })).optional(),
    /** Only in the first format. */
    times: timesSchema.nullable().optional(),
    part: partSchema,
  })
  .transform(({ times, spans, ...table }) => ({
    ...table,
    spans: spans ?? (times ? [{ table: table.name, ...times }] : []),
  }));

const manifestSchema = z.object({
  format: z.literal([FIRST_FORMAT, BACKUP_FORMAT]),
  id: z.uuid(),
  /** Version of the code that took it. */
  version: z.string(),
  /** The moment whose rows it holds. */
  takenAt: z.iso.datetime(),
  finishedAt: z.iso.datetime(),
  migrations: z.array(z.string()).nonempty(),
  tables: z.array(tableSchema),
  sequences: z.array(z.object({ name: z.string(), value: z.string(), isCalled: z.boolean() })),
  objects: z.object({
    /** One line of JSON for each object that rows refer to. */
    index: partSchema,
    count: z.number().int(),
    sizeBytes: z.number().int(),
    /** Taken away by their owners while the backup was taken. */
    deleted: z.number().int(),
    /** Rows refer to them, but the store has not got them, or other bytes. */
    damaged: z.number().int(),
  }),
  keys: z.object({
    /** Ids of the keys that stored secrets are sealed with. */
    needed: z.array(z.string()),
    /** Ids of all keys that the installation had; null when they were not at hand. */
    known: z.array(z.string()).nullable(),
    /** Fingerprint of each known key, by its id; earlier backups have none. */
    fingerprints: z.record(z.string(), z.string()).optional(),
  }),
});

export type TablePart = z.infer<typeof tableSchema>;
export type Manifest = z.infer<typeof manifestSchema>;

/** What is known of one object: its digest, or why it is not in the backup. */
export const objectSchema = z.union([
  z.object({ key: z.string(), sizeBytes: z.number().int().nonnegative(), sha256: z.string() }),
  z.object({ key: z.string(), missing: z.enum(['deleted', 'damaged']) }),
]);
export type ObjectEntry = z.infer<typeof objectSchema>;

/** @throws EngineError when the folder holds no backup, or none that has ended */
export function readManifest(folder: string): Manifest {
  const { manifest, database } = backupFiles(folder);
  if (!existsSync(manifest))
    throw new EngineError(
      existsSync(database)
        ? `${folder} holds a backup that was cut short: it has no manifest.json. Run the backup into it again.`
        : `${folder} holds no backup: there is no manifest.json in it.`,
    );
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(manifest, 'utf8'));
  } catch (error) {
    throw new EngineError(`${manifest} cannot be read as JSON: ${(error as Error).message}`);
  }
  const { format } = content as { format?: unknown };
  if (typeof format === 'number' && format > BACKUP_FORMAT)
    throw new EngineError(
      `${folder} was written by a newer version of VisionOps (format ${format}): restore it with that one.`,
    );
  const parsed = manifestSchema.safeParse(content);
  if (!parsed.success)
    throw new EngineError(`${manifest} is not the manifest of a backup: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}
