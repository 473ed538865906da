import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createFreshDownloads } from '../../../activities/workloads/fresh-downloads.js';
import type { ObjectStore } from '../../../core/ports/object-store.js';
import { HostGround } from './host-kit.js';

describe('the addresses of what a workload fetches', () => {
  let ground: HostGround;
  beforeAll(async () => void (ground = await HostGround.open()));
  afterAll(() => ground.close());

  it('are made anew each time they are asked for, and are none of one that is gone', async () => {
    let made = 0;
    const presign: ObjectStore['presign'] = async (method, key) => `${method} ${key} ${(made += 1)}`;
    const fresh = createFreshDownloads({ database: ground.database, objects: { presign } as ObjectStore });
    const service = await ground.service();
    const download = { path: 'app', sha256: 'f'.repeat(64), unpack: true };
    await ground.ask({
      ...service,
      spec: { ...service.spec, downloads: [{ key: 'blobs/a', ...download }] },
    });
    expect(await fresh(service.name)).toEqual([{ url: 'GET blobs/a 1', ...download }]);
    expect(await fresh(service.name)).toEqual([{ url: 'GET blobs/a 2', ...download }]);
    expect(await fresh('nobody')).toBeNull();
  });
});
