/**
 * Where rows name objects of the store. A column whose objects are not part of a backup says why: its rows
 * end with a restore. A test compares this with the columns of the database.
 */
export const OBJECT_COLUMNS = {
  'dataset_file.object_key': { sha256: 'sha256', sizeBytes: 'size_bytes' },
  'dataset_file.preview_key': {},
  'dataset_version.manifest_key': {},
  'training_experiment.manifest_key': {},
  'run_artifact.object_key': { sha256: 'sha256', sizeBytes: 'size_bytes' },
  'logged_model_artifact.object_key': { sha256: 'sha256', sizeBytes: 'size_bytes' },
  'model_version_file.object_key': { sha256: 'sha256', sizeBytes: 'size_bytes' },
  // No file has it any more, but a frozen version that is held.
  'orphaned_object.object_key': {
    where: `exists (select 1 from dataset_version v where v.tenant_id = t.tenant_id
      and v.dataset_id = t.dataset_id and v.revision >= t.from_revision and v.revision < t.to_revision)`,
  },
  'endpoint_log_segment.object_key': { sha256: 'sha256', sizeBytes: 'size_bytes' },
  'log_segment.object_key': { sha256: 'sha256', sizeBytes: 'size_bytes' },
  'dataset_upload.object_key': null,
  'dataset_upload_chunk.object_key': null,
  'dataset_sync_entry.object_key': null,
} as const satisfies Readonly<Record<string, ObjectColumn | null>>;

interface ObjectColumn {
  /** Columns that say what the object must be. */
  readonly sha256?: string;
  readonly sizeBytes?: string;
  /** Which rows still need theirs; all of them without. */
  readonly where?: string;
}

// Those of a build that is still under way, or was given up, may not be in the store; no manifest names them.
const BLOBS = `select 'blobs/sha256/' || split_part(digest, ':', 2) as key,
    split_part(digest, ':', 2) as sha256, size_bytes from image_blob b
  where exists (select 1 from image_manifest_blob m where m.tenant_id = b.tenant_id and m.digest = b.digest)`;

function keysOf([name, column]: [string, ObjectColumn | null]): string[] {
  if (column === null) return [];
  const [table, key] = name.split('.');
  const { sha256 = 'null', sizeBytes = 'null', where = 'true' } = column;
  return [
    `select t.${key}, ${sha256}, ${sizeBytes}::bigint from ${table} t where t.${key} is not null and ${where}`,
  ];
}

/**
 * Every object that rows refer to, once each, in the order of the keys: key, sha256 and size, the last two
 * empty where no row knows them. No key holds a tab.
 */
export const OBJECTS_OF_ROWS = `
  select key, max(sha256) as sha256, max(size_bytes) as size_bytes
  from (${[BLOBS, ...Object.entries<ObjectColumn | null>(OBJECT_COLUMNS).flatMap(keysOf)].join('\n  union all ')}) o
  group by key order by key collate "C"`;
