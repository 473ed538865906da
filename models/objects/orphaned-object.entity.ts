import { defineEntity, p } from '@mikro-orm/core';

export const OrphanedObjectSchema = defineEntity({
  name: 'OrphanedObject',
  tableName: 'orphaned_object',
  properties: {
    id: p.uuid().primary().defaultRaw('gen_random_uuid()'),
    tenantId: p.uuid(),
    objectKey: p.text(),
    /** A multipart upload to be aborted along with the key, or ANY_MULTIPART; null: there is none. */
    multipartId: p.text().nullable(),
    /**
     * The dataset that had it, with the revisions it was part of; held while a frozen version is one of them.
     * All null or none.
     */
    datasetId: p.uuid().nullable(),
    fromRevision: p.bigint('number').nullable(),
    toRevision: p.bigint('number').nullable(),
    /** From then on the sweeper removes it. */
    dueAt: p.datetime(),
    /** Above 0: a sweeper has taken it and nobody may adopt it any more. */
    attempts: p.integer().default(0),
    createdAt: p.datetime().defaultRaw('now()'),
  },
});

/** An object of the store that no row refers to: not yet, or no longer. */
export class OrphanedObject extends OrphanedObjectSchema.class {}
OrphanedObjectSchema.setClass(OrphanedObject);
