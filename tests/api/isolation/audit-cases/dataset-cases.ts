import { DATASET_FACTORY } from '../../datasets/support/dataset-factory.js';
import { multipart, zip } from '../../datasets/support/dataset-kit.js';
import { SOURCE_FACTORY } from '../../sources/support/source-factory.js';
import { SYNC_FACTORY } from '../../sources/support/sync-factory.js';
import { randomName } from '../../support/resource-factory.js';
import {
  type AuditedCase,
  type AuditPlace,
  leaving,
  onDataset,
  onNew,
  type Prepare,
  type UnauditedCase,
} from './audit-case.js';

const withFile: Prepare = async ({ datasets }) => {
  const dataset_id = await datasets.draft(randomName());
  await datasets.upload(dataset_id, 'a/1.txt', Buffer.from('1'));
  return { values: { dataset_id } };
};

const linked = async (at: AuditPlace) => ({
  values: { dataset_id: await at.syncs.linked(at.source, 'scans', randomName()) },
});

const addSource = async (at: AuditPlace) =>
  (await at.call('POST', '/api/v1/external-sources', { name: randomName(), base_url: at.source.baseUrl }))
    .id as string;

export const DATASET_CASES: Readonly<Record<string, AuditedCase>> = {
  'POST /api/v1/datasets': { action: 'dataset.create', prepare: () => ({ json: { id: randomName() } }) },
  'POST /api/v1/datasets/drafts': { action: 'dataset.create', prepare: () => ({}) },
  'PATCH /api/v1/datasets/{dataset_id}': {
    action: 'dataset.update',
    prepare: onDataset({ name: 'Another name' }),
  },
  'DELETE /api/v1/datasets/{dataset_id}': { action: 'dataset.delete', prepare: onDataset() },
  'POST /api/v1/datasets/{dataset_id}/files': { action: 'dataset.file_add', prepare: onDataset() },
  'DELETE /api/v1/datasets/{dataset_id}/files/{file_id}': {
    action: 'dataset.file_delete',
    prepare: onDataset(),
  },
  'POST /api/v1/datasets/{dataset_id}/revalidate': {
    action: 'dataset.revalidate',
    prepare: leaving(withFile),
  },
  'POST /api/v1/datasets/{dataset_id}/revalidate-annotations': {
    action: 'dataset.revalidate_annotations',
    prepare: leaving(withFile),
  },
  'PUT /api/v1/datasets/{dataset_id}/source': {
    action: 'dataset.link',
    prepare: async (at) => ({
      values: { dataset_id: await at.datasets.draft(randomName()) },
      json: { source_id: await addSource(at), remote_dataset_id: 'scans' },
    }),
  },
  'DELETE /api/v1/datasets/{dataset_id}/source': { action: 'dataset.unlink', prepare: linked },
  'POST /api/v1/datasets/{dataset_id}/syncs': { action: 'dataset.sync_start', prepare: linked },
  'POST /api/v1/datasets/{dataset_id}/syncs/{sync_id}:cancel': {
    action: 'dataset.sync_cancel',
    prepare: leaving(onNew(SYNC_FACTORY)),
  },
  'DELETE /api/v1/datasets/{dataset_id}/syncs/{sync_id}': {
    action: 'dataset.sync_delete',
    prepare: async (at) => {
      const values = await at.make(SYNC_FACTORY);
      await at.set('update dataset set active_sync_id = null where active_sync_id = $1', [values.sync_id]);
      await at.set("update dataset_sync set status = 'canceled' where id = $1", [values.sync_id]);
      return { values };
    },
  },
  'POST /api/v1/datasets:from-external': {
    action: 'dataset.create',
    prepare: async (at) => ({ json: { source_id: await addSource(at), remote_dataset_id: 'scans' } }),
  },
  'POST /api/v1/external-sources': {
    action: 'source.create',
    prepare: ({ source }) => ({ json: { name: randomName(), base_url: source.baseUrl } }),
  },
  'PATCH /api/v1/external-sources/{source_id}': {
    action: 'source.update',
    prepare: onNew(SOURCE_FACTORY, { description: 'changed' }),
  },
  'DELETE /api/v1/external-sources/{source_id}': { action: 'source.delete', prepare: onNew(SOURCE_FACTORY) },
};

export const UNAUDITED_DATASET_CASES: Readonly<Record<string, UnauditedCase>> = {
  'POST /api/v1/datasets/{dataset_id}/archive': {
    because:
      'opens the work that unpacks it; the worker writes the row in the transaction that adds its files',
    prepare: async (at) => {
      const { body, type } = multipart('a.zip', await zip({ 'a/1.txt': Buffer.from('1') }));
      return {
        values: { dataset_id: await at.datasets.draft(randomName()) },
        raw: { body, headers: { 'content-type': type } },
        leaves: true,
      };
    },
  },
  'POST /api/v1/datasets/{dataset_id}/uploads': {
    because: 'a place for chunks; no file of the dataset changes',
    prepare: onDataset({ filename: 'b/3.bin', size: 1 }),
  },
  'PUT /api/v1/datasets/{dataset_id}/uploads/{upload_id}/chunks/{index}': {
    because: 'chunk bytes',
    prepare: onDataset(),
  },
  'POST /api/v1/datasets/{dataset_id}/uploads/{upload_id}:complete': {
    because: 'asks for the assembly; the worker writes the row in the transaction that adds its file',
    prepare: async (at) => {
      const values = await at.make(DATASET_FACTORY);
      await at.datasets.chunk(values.dataset_id as string, values.upload_id as string, 0, Buffer.from('x'));
      return { values };
    },
  },
  'POST /api/v1/external-sources/{source_id}:test': {
    because: 'asks the source and changes nothing',
    prepare: async (at) => ({ values: { source_id: await addSource(at) } }),
  },
};
