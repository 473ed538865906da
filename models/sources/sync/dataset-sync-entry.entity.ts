import { defineEntity, p } from '@mikro-orm/core';
import type { PartInfo } from '../../../core/ports/object-store.js';
import type { FileKind } from '../../datasets/catalog/dataset.types.js';
import type { EntryAction, EntryState } from './dataset-sync.types.js';

export const DatasetSyncEntrySchema = defineEntity({
  name: 'DatasetSyncEntry',
  tableName: 'dataset_sync_entry',
  properties: {
    tenantId: p.uuid().primary(),
    syncId: p.uuid().primary(),
    /** Place in the manifest, lines that cannot become files left out. */
    position: p.integer().primary(),
    path: p.text(),
    /** What the source calls it; null: the same. */
    remotePath: p.text().nullable(),
    sha256: p.text(),
    sizeBytes: p.bigint('number'),
    /** Null until it was compared with the dataset's files. */
    action: p.text().$type<EntryAction>().nullable(),
    state: p.text().$type<EntryState>().default('planned'),
    /**
     * Its own from the plan on, so that a repeat writes the same object again; null: nothing is to be copied.
     */
    objectKey: p.text().nullable(),
    multipartId: p.text().nullable(),
    /** Stored parts of an unfinished copy, from the first on without a gap. */
    parts: p.json<readonly PartInfo[]>().defaultRaw(`'[]'`),
    bytesDone: p.bigint('number').default(0),
    /** By the bytes that came, as is the kind; null until they are here. */
    mediaType: p.text().nullable(),
    kind: p.text().$type<FileKind>().nullable(),
    /** How often it was put off. */
    tries: p.integer().default(0),
    /** When one that was put off is due. */
    againAt: p.datetime().nullable(),
  },
});

/** A line of a sync's manifest, and how far its copy has come. */
export class DatasetSyncEntry extends DatasetSyncEntrySchema.class {}
DatasetSyncEntrySchema.setClass(DatasetSyncEntry);
