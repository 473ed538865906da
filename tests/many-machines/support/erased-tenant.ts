import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import type pg from 'pg';
import { namesIn } from '../../faults/main-jobs/processes.js';
import type { PlatformClient } from '../../setup/platform-client.js';
import type { Fleet } from './fleet.js';

const CODE = 'leaves';
const TENANTS = '/api/v1/settings/tenants';
const PROGRAM = 'tests/adapters/process/programs/wait.py';
const LEFT_WITHIN_MS = 30_000;

interface Stage {
  readonly fleet: Fleet;
  readonly client: PlatformClient;
  readonly owner: pg.Client;
}

/** A test of a tenant that is erased while it runs something on each host. */
export function erasedTenant(stage: () => Stage): void {
  /** Names of what runs of it, and users that are its own, on all hosts. */
  const keptOf = (tenantId: string) => ({
    programs: stage()
      .fleet.workloads()
      .map((folder) => namesIn(folder).filter((name) => name.startsWith(`w-${CODE}`)).length),
    users: stage()
      .fleet.workloads()
      .map((folder) => {
        const uids = join(folder, 'uids');
        const owners = namesIn(uids).map((name) => readFileSync(join(uids, name), 'utf8'));
        return owners.filter((owner) => owner === tenantId).length;
      }),
  });
  const until = async (tenantId: string, each: number) => {
    const wanted = { programs: [each, each], users: [each, each] };
    const startedAt = performance.now();
    const isSo = () => JSON.stringify(keptOf(tenantId)) === JSON.stringify(wanted);
    while (!isSo() && performance.now() - startedAt < LEFT_WITHIN_MS) {
      // Hosts read their rows at every change of any workload, and by themselves after 15 s.
      await stage().owner.query("select pg_notify('visionops_workloads', '')");
      await sleep(500);
    }
    expect(keptOf(tenantId)).toEqual(wanted);
  };

  it('keeps nothing on any host of a tenant that is erased', async () => {
    const { client, owner } = stage();
    const { body: tenant } = await client.expect(201, 'POST', TENANTS, {
      json: { code: CODE, name: 'Leaves' },
    });
    await plant(owner, tenant.id);
    await until(tenant.id, 1);
    const { body: asked } = await client.expect(202, 'POST', `${TENANTS}/${tenant.id}/deletion`, {
      json: { confirm_code: CODE },
    });
    const path = `${TENANTS}/deletions/${asked.id}`;
    const isOver = ({ status }: { status: string }) => status === 'done' || status === 'failed';
    const done = await client.until(path, isOver, 60_000);
    expect([done.status, done.status_message]).toEqual(['done', '']);
    await until(tenant.id, 0);
    const { rows } = await owner.query('select name from workload where tenant_id = $1', [tenant.id]);
    expect(rows).toEqual([]);
  });
}

/** A program for each host, which is chosen here: by itself one host might get both. */
async function plant(owner: pg.Client, tenantId: string): Promise<void> {
  const limits = { memoryBytes: 256 * 2 ** 20, timeoutS: null };
  const spec = {
    ...{ kind: 'job', runtime: 'sklearn', entrypoint: './wait.py', args: [], labels: {}, origin: 'platform' },
    ...{ files: [{ path: 'wait.py', content: readFileSync(PROGRAM, 'utf8') }], downloads: [], limits },
  };
  const { rowCount } = await owner.query(
    `insert into workload (tenant_id, kind, name, owner_id, attempt, status, reason, spec, host)
     select $1, 'training', $2 || '-' || name, gen_random_uuid(), 1, 'pending', 'Starting.', $3, id
     from host where gone_at is null`,
    [tenantId, `w-${CODE}`, JSON.stringify(spec)],
  );
  expect(rowCount).toBe(2);
}
