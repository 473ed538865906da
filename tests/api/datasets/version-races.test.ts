import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDatasetMaintenance } from '../../../activities/datasets/dataset-maintenance.js';
import { asTenantId } from '../../../core/security/ids.js';
import { findFrozenDataset } from '../../../models/datasets/catalog/frozen-dataset.queries.js';
import {
  holdDatasetVersion,
  releaseDatasetHolds,
} from '../../../models/datasets/catalog/dataset-hold.commands.js';
import { recordFileChange, lockDataset } from '../../../models/datasets/catalog/dataset-change.commands.js';
import type { TenantTransaction } from '../../../models/orm/transaction.js';
import { type DatasetKit, png } from './support/dataset-kit.js';
import { openWorkingKit, type WorkingKit } from './support/open-dataset-kit.js';

describe('frozen versions whose users come and go at the same moment', () => {
  let lab: WorkingKit;
  let kit: DatasetKit;
  beforeAll(async () => {
    lab = await openWorkingKit();
    ({ kit } = lab);
  });
  afterAll(() => lab?.close());

  const inTenant = <T>(work: (tx: TenantTransaction) => Promise<T>): Promise<T> =>
    lab.api.container.db.inTenant(asTenantId(kit.tenant.id), work);
  const hold = (version: string, run: string) => (tx: TenantTransaction) =>
    holdDatasetVersion(tx, version, { kind: 'experiment', id: run });
  const release = (run: string) => (tx: TenantTransaction) =>
    releaseDatasetHolds(tx, { kind: 'experiment', id: run });
  const change = (dataset: string) => async (tx: TenantTransaction) =>
    recordFileChange(tx, await lockDataset(tx, dataset), { files: 0, bytes: 0 });

  /** A frozen dataset of one file, with the version that it shows. */
  const frozen = async (name: string) => {
    const dataset = await kit.draft(name);
    const file = (await kit.upload(dataset, 'a/1.png', await png(name.length))).body;
    expect((await kit.settled(dataset)).status).toBe('FROZEN');
    const found = await inTenant((tx) => findFrozenDataset(tx, dataset));
    return {
      dataset,
      file: file.id as string,
      version: found?.versionId as string,
      manifest: found?.manifestKey as string,
    };
  };
  const versions = async (version: string) =>
    (await kit.query('select 1 from dataset_version where id = $1', [version])).length;
  const holds = async (version: string) =>
    (await kit.query('select 1 from dataset_hold where version_id = $1', [version])).length;
  /** Due, taken by the sweeper, or gone already. */
  const isDue = async (key: string) =>
    (
      await kit.query(
        'select 1 from orphaned_object where object_key = $1 and (due_at <= now() or attempts > 0)',
        [key],
      )
    ).length > 0 || !(await kit.objectKeys()).includes(key);

  /** `late` begins while `early` has yet to commit, and ends after that. */
  async function crossing<T>(
    early: (tx: TenantTransaction) => Promise<unknown>,
    late: () => Promise<T>,
  ): Promise<T> {
    let answer: Promise<T> | undefined;
    await inTenant(async (tx) => {
      await early(tx);
      answer = late();
      await Promise.race([answer.catch(() => undefined), sleep(500)]);
    });
    return answer as Promise<T>;
  }

  it('go with their last two runs', async () => {
    const { dataset, version, manifest } = await frozen('Two runs');
    const runs = [randomUUID(), randomUUID()] as const;
    for (const run of runs) await inTenant(hold(version, run));
    await inTenant(change(dataset));
    await crossing(release(runs[0]), () => inTenant(release(runs[1])));
    expect([await versions(version), await holds(version), await isDue(manifest)]).toEqual([0, 0, true]);
  });

  it.each(['run', 'file'])(
    'go with their last run and a change of files, whichever is first (%s)',
    async (first) => {
      const { dataset, version } = await frozen(`Change and run ${first}`);
      const run = randomUUID();
      await inTenant(hold(version, run));
      const [early, late] =
        first === 'run' ? [release(run), change(dataset)] : [change(dataset), release(run)];
      await crossing(early, () => inTenant(late));
      expect([await versions(version), await holds(version)]).toEqual([0, 0]);
    },
  );

  it('stay where a run is submitted while files are added', async () => {
    const { dataset, version } = await frozen('Added meanwhile');
    const added = await crossing(hold(version, randomUUID()), async () =>
      kit.upload(dataset, 'a/2.png', await png(402)),
    );
    expect(added.status).toBe(201);
    expect([await versions(version), await holds(version)]).toEqual([1, 1]);
  });

  it('name the run that is submitted while a file, or the dataset, is deleted', async () => {
    const { dataset, file, version } = await frozen('Deleted meanwhile');
    const runs = [randomUUID(), randomUUID()] as const;
    const ofFile = await crossing(hold(version, runs[0]), () =>
      kit.call('DELETE', `/${dataset}/files/${file}`),
    );
    expect(ofFile).toMatchObject({
      status: 409,
      body: { code: 'conflict', detail: { users: [{ id: runs[0] }], users_total: 1 } },
    });
    await inTenant(release(runs[0]));
    const ofAll = await crossing(hold(version, runs[1]), () => kit.call('DELETE', `/${dataset}`));
    expect(ofAll).toMatchObject({
      status: 409,
      body: { code: 'conflict', detail: { users: [{ id: runs[1] }], users_total: 1 } },
    });
    expect((await kit.call('GET', `/${dataset}`)).body).toMatchObject({ status: 'FROZEN', file_count: 1 });
    const forced = await crossing(hold(version, randomUUID()), () =>
      kit.call('DELETE', `/${dataset}?force=true`),
    );
    expect([forced.status, await versions(version), await holds(version)]).toEqual([204, 1, 2]);
  });

  it('refuse a run that is submitted while the dataset is deleted', async () => {
    const { dataset, version } = await frozen('Gone meanwhile');
    const late = crossing(change(dataset), () => inTenant(hold(version, randomUUID())));
    await expect(late).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('no longer FROZEN'),
    });
  });

  it('are swept where nobody is left to remove them, and nowhere else', async () => {
    const [shown, held, left] = [await frozen('Shown'), await frozen('Held'), await frozen('Left')];
    await inTenant(hold(held.version, randomUUID()));
    for (const { version } of [held, left])
      await kit.query('update dataset set version_id = null where version_id = $1', [version]);
    const sweep = createDatasetMaintenance(lab.api.container.db).find(
      ({ name }) => name === 'unused-dataset-versions',
    );
    expect(await sweep?.run(AbortSignal.timeout(20_000))).toBe(1);
    expect([
      await versions(shown.version),
      await versions(held.version),
      await versions(left.version),
    ]).toEqual([1, 1, 0]);
    expect(await isDue(left.manifest)).toBe(true);
    expect(await isDue(held.manifest)).toBe(false);
  });
});
