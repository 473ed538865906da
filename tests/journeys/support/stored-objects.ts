import { Client as S3Client } from 'minio';
import type pg from 'pg';
import { ORPHANED_OBJECT_CHANNEL } from '../../../models/objects/orphaned-object.commands.js';
import type { PlatformFacts } from '../../setup/supervised-platform.js';

/** Every column that names an object of the store, with the condition under which its row owns it. */
const OWNERS = [
  'select object_key as key from dataset_file',
  'select preview_key from dataset_file where preview_key is not null',
  'select manifest_key from dataset_version',
  "select object_key from dataset_upload where state in ('open', 'assembling') and multipart_id is null and chunk_count = 0",
  "select object_key from dataset_upload_chunk c where object_key is not null and exists (select 1 from dataset_upload u where u.id = c.upload_id and u.state in ('open', 'assembling'))",
  'select object_key from run_artifact',
  'select object_key from model_version_file',
  'select object_key from log_segment',
  'select object_key from endpoint_log_segment',
  "select 'blobs/sha256/' || substr(digest, 8) from image_blob",
];

export type StoreAccess = Pick<PlatformFacts, 's3_endpoint' | 's3_access_key' | 's3_secret_key'> & {
  readonly bucket?: string;
};

export interface StoreDifference {
  /** Objects that no row names. */
  readonly orphans: string[];
  /** Objects that rows name and the store does not have. */
  readonly missing: string[];
  /** Multipart uploads that no session and no note names. */
  readonly unfinished: string[];
}

/** Compares the store with the rows, both ways. What waits for its removal counts as an orphan: collect first. */
export async function compareStore(
  facts: StoreAccess,
  owner: pg.Client,
  bucket = facts.bucket ?? 'visionops',
): Promise<StoreDifference> {
  const { hostname, port } = new URL(facts.s3_endpoint);
  const store = new S3Client({
    endPoint: hostname,
    port: Number(port),
    useSSL: false,
    accessKey: facts.s3_access_key,
    secretKey: facts.s3_secret_key,
    region: 'us-east-1',
  });
  const there = new Set<string>();
  for (const prefix of ['t/', 'blobs/'])
    for await (const item of store.listObjectsV2(bucket, prefix, true) as AsyncIterable<{ name?: string }>)
      if (item.name !== undefined) there.add(item.name);
  const { rows } = await owner.query<{ key: string }>(OWNERS.join(' union '));
  const named = new Set(rows.map((row) => row.key));
  const { rows: known } = await owner.query<{ id: string }>(
    "select multipart_id as id from dataset_upload where multipart_id is not null and state in ('open', 'assembling') union select multipart_id from orphaned_object where multipart_id is not null",
  );
  const sessions = new Set(known.map((row) => row.id));
  const unfinished: string[] = [];
  for await (const item of store.listIncompleteUploads(bucket, '', true) as AsyncIterable<{
    key: string;
    uploadId: string;
  }>)
    if (!sessions.has(item.uploadId)) unfinished.push(item.key);
  return {
    orphans: [...there].filter((key) => !named.has(key)),
    missing: [...named].filter((key) => !there.has(key)),
    unfinished,
  };
}

/** Makes everything due for removal now, and waits until the sweeper has removed it. Nothing may be under way. */
export async function collectOrphanedObjects(owner: pg.Client, timeoutMs = 30_000): Promise<void> {
  // A sweeper that was killed, or met a store that was away, leaves what it took until its lease ends.
  await owner.query(
    'update orphaned_object set due_at = now() where due_at > now() and (dataset_id is null or attempts > 0)',
  );
  await owner.query(`notify ${ORPHANED_OBJECT_CHANNEL}`);
  for (const end = Date.now() + timeoutMs; ; ) {
    const { rows } = await owner.query<{ n: number }>(
      'select count(*)::int as n from orphaned_object where due_at <= now() or attempts > 0',
    );
    if (rows[0]?.n === 0) return;
    if (Date.now() > end)
      throw new Error(`${rows[0]?.n} orphaned objects are still there after ${timeoutMs / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
