import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { Listener } from '../../models/orm/listener.js';
import { StateWaits } from '../../models/orm/state-waits.js';
import { type TestDatabase, testDatabase } from '../setup/engines.js';

/** Longer than any test may take: without a call nothing is read again. */
const NEVER_MS = 3_600_000;

describe('who waits for a row', () => {
  let clone: TestDatabase;
  let owner: pg.Client;
  let listener: Listener;
  let states: StateWaits;
  const tenantId = randomUUID();
  beforeAll(async () => {
    clone = await testDatabase();
    owner = new pg.Client({ connectionString: clone.ownerUrl });
    await owner.connect();
    await owner.query("insert into tenant (id, code, name) values ($1, 'states', 'States')", [tenantId]);
    listener = new Listener({
      connectionString: clone.directUrl ?? clone.platformUrl,
      applicationName: 'test',
    });
    states = new StateWaits(listener, () => NEVER_MS);
    await listener.start();
  });
  afterAll(async () => {
    await listener?.stop();
    await owner?.end();
    await clone?.drop();
  });

  /** Changes the row once it was read, and answers what is read after the call. */
  const readAfter = async (read: string, change: string, id: string, named = id): Promise<unknown> => {
    const first = Promise.withResolvers<void>();
    const seen = states.until(
      named,
      async () => {
        const { rows } = await owner.query<{ state: string }>(read, [id]);
        first.resolve();
        return rows[0]?.state;
      },
      (state) => state === undefined || state === 'done' || state === 'stopped',
      { withinMs: NEVER_MS },
    );
    await first.promise;
    await owner.query(change, [id]);
    return seen;
  };

  it('is called when an archive is unpacked', async () => {
    const dataset = await owner.query<{ id: string }>(
      "insert into dataset (tenant_id, key, name) values ($1, 'd', 'D') returning id",
      [tenantId],
    );
    const upload = await owner.query<{ id: string }>(
      `insert into dataset_upload (tenant_id, dataset_id, path, size_bytes, chunk_bytes, chunk_count, object_key, state)
       values ($1, $2, 'a.zip', 1, 1, 1, 'key', 'assembling') returning id`,
      [tenantId, dataset.rows[0]?.id],
    );
    const read = 'select state from dataset_upload where id = $1';
    const change = "update dataset_upload set state = 'done' where id = $1";
    expect(await readAfter(read, change, upload.rows[0]?.id as string)).toBe('done');
  });

  it('is called when a workload has ended, and when it is gone', async () => {
    const ownerId = randomUUID();
    const { rows } = await owner.query<{ id: string }>(
      `insert into workload (tenant_id, kind, name, owner_id, status, spec)
       values ($1, 'serving', 'w', $2, 'running', '{}') returning id`,
      [tenantId, ownerId],
    );
    const id = rows[0]?.id as string;
    const read = 'select status as state from workload where id = $1';
    const stop = "update workload set status = 'stopped' where id = $1";
    expect(await readAfter(read, stop, id, ownerId)).toBe('stopped');
    await owner.query("update workload set status = 'running' where id = $1", [id]);
    expect(await readAfter(read, 'delete from workload where id = $1', id, ownerId)).toBeUndefined();
  });

  it('is called when a run has ended', async () => {
    const runId = randomUUID().replaceAll('-', '');
    await owner.query(
      `with e as (insert into tracker_experiment (tenant_id, project, name) values ($1, 'p', 'e') returning id)
       insert into tracker_run (tenant_id, run_id, experiment, name) select $1, $2, e.id, 'r' from e`,
      [tenantId, runId],
    );
    const read = "select replace(status, 'KILLED', 'stopped') as state from tracker_run where run_id = $1";
    const end = "update tracker_run set status = 'KILLED' where run_id = $1";
    expect(await readAfter(read, end, runId)).toBe('stopped');
  });
});
