import { sql } from 'kysely';
import type { KeptMails } from '../../core/ports/kept-mails.js';
import type { MultipartStore, ObjectStore, UnfinishedUploads } from '../../core/ports/object-store.js';
import type { WorkflowHistories } from '../../core/ports/workflow-histories.js';
import type { Database } from '../orm/in-tenant.js';
import { countWaitingAbout } from '../outbox/waiting-mails.platform.js';
import { workloadsOf } from '../workloads/hosted.platform.js';
import type { DeletionStepKey } from './deletion-steps.types.js';
import type { ErasureCounts } from './deletion.types.js';
import { mergeCounts, tableCount } from './erasure-counts.rules.js';
import { countRows, listTenantTables } from './erasure-tables.sql.js';
import { findTenant } from './tenant.platform.js';

/** Everywhere a tenant leaves something, to be looked at. */
export interface SurveyPlaces {
  readonly database: Database;
  readonly objects: Pick<ObjectStore, 'list'> & UnfinishedUploads;
  readonly histories: Pick<WorkflowHistories, 'count'>;
  readonly mails: Pick<KeptMails, 'countAbout'>;
}

/** The same, to be removed. */
export interface ErasurePlaces extends SurveyPlaces {
  readonly objects: Pick<ObjectStore, 'list' | 'head' | 'remove'> &
    Pick<MultipartStore, 'abortMultipart'> &
    UnfinishedUploads;
  readonly histories: WorkflowHistories;
  readonly mails: Pick<KeptMails, 'countAbout' | 'removeAbout'>;
}

/** Every object of a tenant lies below it. */
export const tenantPrefix = (tenantId: string): string => `t/${tenantId}/`;

/** Tables that steps of their own remove, because more than the row must go. */
export const IMAGE_TABLES: readonly string[] = [
  'image_tag',
  'image_manifest_blob',
  'image_manifest',
  'image_blob',
];
export const AUDIT_TABLE = 'audit_entry';
const WORKLOAD_TABLES: readonly string[] = ['workload', 'workload_log'];
const OWNED: ReadonlySet<string> = new Set([...IMAGE_TABLES, ...WORKLOAD_TABLES, AUDIT_TABLE]);

/** Tables of the step `rows`, in the order in which they go. */
export const listPlainTables = (database: Database) =>
  database.inPlatform(async (tx) => (await listTenantTables(tx)).filter((table) => !OWNED.has(table.name)));

type Survey = (places: SurveyPlaces, tenantId: string) => Promise<ErasureCounts>;

/**
 * What each step has to remove, found by the questions that the step itself asks. The preview is their sum
 * before, the search for residue is the same sum afterwards, when all of it must be zero.
 */
const SURVEYS: Readonly<Record<DeletionStepKey, Survey>> = {
  stop: async ({ histories }, tenantId) => ({ running_workflows: (await histories.count(tenantId)).running }),
  workloads: async ({ database }, tenantId) => ({
    workloads: (await workloadsOf(database, tenantId)).length,
  }),
  objects: surveyObjects,
  images: surveyImages,
  mails: async ({ database, mails }, tenantId) => ({
    mails: (await countWaitingAbout(database, tenantId)) + (await mails.countAbout(tenantId)),
  }),
  rows: async ({ database }, tenantId) =>
    surveyTables(
      database,
      tenantId,
      (await listPlainTables(database)).map((table) => table.name),
    ),
  histories: async ({ histories }, tenantId) => ({
    workflow_histories: (await histories.count(tenantId)).all,
  }),
  audit: ({ database }, tenantId) => surveyTables(database, tenantId, [AUDIT_TABLE]),
  tenant: async ({ database }, tenantId) => ({
    [tableCount('tenant')]: (await findTenant(database, tenantId)) ? 1 : 0,
  }),
  residue: async () => ({}),
};

/** Reads everything and changes nothing; as long as the tenant is large. */
export async function surveyTenant(places: SurveyPlaces, tenantId: string): Promise<ErasureCounts> {
  const parts: ErasureCounts[] = [];
  for (const survey of Object.values(SURVEYS)) parts.push(await survey(places, tenantId));
  return mergeCounts(parts);
}

/**
 * Places where nothing refuses what comes for a tenant that is gone; tables are asked for many tenants at
 * once instead.
 */
export async function surveyLate(places: SurveyPlaces, tenantId: string): Promise<ErasureCounts> {
  return mergeCounts([
    await SURVEYS.objects(places, tenantId),
    await SURVEYS.mails(places, tenantId),
    await SURVEYS.histories(places, tenantId),
  ]);
}

async function surveyObjects({ objects }: SurveyPlaces, tenantId: string): Promise<ErasureCounts> {
  const counts = { objects: 0, object_bytes: 0, unfinished_uploads: 0 };
  for await (const object of objects.list(tenantPrefix(tenantId))) {
    counts.objects += 1;
    counts.object_bytes += object.sizeBytes;
  }
  for await (const upload of objects.listUnfinished(tenantPrefix(tenantId))) {
    counts.unfinished_uploads += 1;
    counts.object_bytes += upload.sizeBytes;
  }
  return counts;
}

/** Bytes of blobs that another tenant has too stay, so they are not counted. */
async function surveyImages({ database }: SurveyPlaces, tenantId: string): Promise<ErasureCounts> {
  const tables = await surveyTables(database, tenantId, IMAGE_TABLES);
  const blobs = await database.inPlatform((tx) =>
    tx.kysely
      .selectFrom('image_blob as b')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .select(sql<number>`coalesce(sum(b.size_bytes), 0)`.as('bytes'))
      .where('b.tenantId', '=', tenantId)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('image_blob as o')
              .select('o.digest')
              .whereRef('o.digest', '=', 'b.digest')
              .whereRef('o.tenantId', '<>', 'b.tenantId'),
          ),
        ),
      )
      .executeTakeFirstOrThrow(),
  );
  return { ...tables, image_blobs: blobs.count, image_blob_bytes: blobs.bytes };
}

/** A transaction for each table: a large one must not keep a snapshot open for all. */
async function surveyTables(
  database: Database,
  tenantId: string,
  names: readonly string[],
): Promise<ErasureCounts> {
  const counts: Record<string, number> = {};
  for (const name of names) {
    const count = await database.inPlatform((tx) => countRows(tx, { name }, tenantId));
    if (count > 0) counts[tableCount(name)] = count;
  }
  return counts;
}
