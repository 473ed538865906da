import { randomUUID } from 'node:crypto';
import type { ResourceFactory } from '../../support/resource-factory.js';
import { DatasetKit } from './dataset-kit.js';

/** A dataset with a file and an open upload session, for the isolation suite. */
export const DATASET_FACTORY: ResourceFactory = {
  prefix: '/api/v1/datasets/',
  async create({ api, tenant, user, canary }) {
    const kit = new DatasetKit(api, tenant, user.token);
    const dataset_id = await kit.draft(`${canary} scans`);
    const file = await kit.upload(dataset_id, `${canary}/1.txt`, Buffer.from(canary));
    const upload = await kit.open(dataset_id, { filename: `${canary}/2.bin`, size: 1 });
    return {
      dataset_id,
      file_id: file.body.id as string,
      upload_id: upload.body.upload_id as string,
      index: '0',
    };
  },
  random: () => ({
    dataset_id: `d-${randomUUID()}`,
    file_id: randomUUID(),
    upload_id: randomUUID(),
    index: '0',
  }),
};
